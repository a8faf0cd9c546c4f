// Who sees what: doors for those outside, the shell for those inside.
import { Redirect, Route, Switch, useLocation } from "wouter";
import { Crash } from "./screens/Crash";
import { Invite } from "./screens/Invite";
import { Register } from "./screens/Register";
import { Reset } from "./screens/Reset";
import { Shell } from "./screens/Shell";
import { SignIn } from "./screens/SignIn";
import { useStore } from "./store/store";
import { Toasts } from "./view/toasts";

export function App() {
  const isSignedIn = useStore((state) => state.me !== null);
  return (
    <Crash>
      <Switch>
        <Route path="/invite/:code">{({ code }) => <Invite code={code} />}</Route>
        <Route path="/signin">{isSignedIn ? <Onward /> : <SignIn />}</Route>
        <Route path="/register">{isSignedIn ? <Onward /> : <Register />}</Route>
        <Route path="/reset">{isSignedIn ? <Onward /> : <Reset />}</Route>
        <Route>{isSignedIn ? <Shell /> : <ToTheDoor />}</Route>
      </Switch>
      <Toasts />
    </Crash>
  );
}

/** After the door, on to where one wanted to go. */
function Onward() {
  return <Redirect to={wanted()} replace />;
}

function ToTheDoor() {
  const [path] = useLocation();
  return <Redirect to={path === "/" ? "/signin" : `/signin?to=${encodeURIComponent(path)}`} replace />;
}

/** Only a place of this client: an address of elsewhere in a link must not lead there. */
export function wanted(): string {
  const to = new URLSearchParams(location.search).get("to") ?? "/";
  return /^\/(?![/\\])/.test(to) ? to : "/";
}
