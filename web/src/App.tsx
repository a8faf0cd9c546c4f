// Who sees what: doors for those outside, the shell for those inside.
import { useEffect } from "react";
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
  const me = useStore((state) => state.me?.userId);
  const isSignedIn = me !== undefined;
  useEffect(() => {
    last = me ?? last;
  }, [me]);
  return (
    <Crash>
      <Switch>
        <Route path="/invite/:code">{({ code }) => <Invite code={code} />}</Route>
        <Route path="/signin">{isSignedIn ? <RedirectAfterSignIn /> : <SignIn />}</Route>
        <Route path="/register">{isSignedIn ? <RedirectAfterSignIn /> : <Register />}</Route>
        <Route path="/reset">{isSignedIn ? <RedirectAfterSignIn /> : <Reset />}</Route>
        <Route>{isSignedIn ? <Shell /> : <RedirectToSignIn />}</Route>
      </Switch>
      <Toasts />
    </Crash>
  );
}

/** After signing in, on to the wanted place. */
function RedirectAfterSignIn() {
  const me = useStore((state) => state.me?.userId);
  return <Redirect to={pathAfterSignIn(me, history.state)} replace />;
}

/** Whose session it was that ended in this page, if there was one. */
let last: string | undefined;

function RedirectToSignIn() {
  const [path] = useLocation();
  // After a sign-out the place is kept for the same person only, and not in the address.
  if (last !== undefined) return <Redirect to="/signin" state={{ place: path, userId: last }} replace />;
  return <Redirect to={path === "/" ? "/signin" : `/signin?to=${encodeURIComponent(path)}`} replace />;
}

/** Where to go after signing in: what the address says, or where the same person was before. */
export function pathAfterSignIn(userId: string | undefined, left: unknown): string {
  const { place, userId: before } = (left ?? {}) as { place?: unknown; userId?: unknown };
  if (typeof place === "string" && userId !== undefined && before === userId) return place;
  return wanted();
}

/** Only a place of this client: an address of elsewhere in a link must not lead there. */
export function wanted(): string {
  const to = new URLSearchParams(location.search).get("to") ?? "/";
  return /^\/(?![/\\])/.test(to) ? to : "/";
}
