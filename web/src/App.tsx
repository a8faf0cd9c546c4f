// The routes of signed-out and signed-in users.
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

/** Redirects to the requested page after signing in. */
function RedirectAfterSignIn() {
  const me = useStore((state) => state.me?.userId);
  return <Redirect to={pathAfterSignIn(me, history.state)} replace />;
}

/** The user whose session last ended in this page, if any. */
let last: string | undefined;

function RedirectToSignIn() {
  const [path] = useLocation();
  // After a sign-out the path is kept for the same user only, and not in the URL.
  if (last !== undefined) return <Redirect to="/signin" state={{ path, userId: last }} replace />;
  return <Redirect to={path === "/" ? "/signin" : `/signin?to=${encodeURIComponent(path)}`} replace />;
}

/** The path to open after signing in: that of the URL, or the last one of the same user. */
export function pathAfterSignIn(userId: string | undefined, left: unknown): string {
  const { path, userId: before } = (left ?? {}) as { path?: unknown; userId?: unknown };
  if (typeof path === "string" && userId !== undefined && before === userId) return path;
  return requestedPath();
}

/** The path in `?to=`, if it belongs to this client: a link must not redirect to another site. */
export function requestedPath(): string {
  const to = new URLSearchParams(location.search).get("to") ?? "/";
  return /^\/(?![/\\])/.test(to) ? to : "/";
}
