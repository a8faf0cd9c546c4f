import { useState } from "react";
import { Link } from "wouter";
import { signIn } from "../actions/account";
import { Avatar } from "../view/Avatar";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { toastError } from "../view/toasts";
import { demoUsers } from "./demo";
import { SignedOutPage } from "./SignedOutPage";

export function SignIn() {
  return (
    <SignedOutPage title="Sign in">
      <DemoUsers />
      <Form submit="Sign in" onSubmit={({ email = "", password = "" }) => signIn(email.trim(), password)}>
        <Field label="Email or username" name="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      </Form>
      <p className="signed-out-links">
        <Link href={`/register${location.search}`}>Create account</Link>
        <Link href="/reset">Forgot your password?</Link>
      </p>
    </SignedOutPage>
  );
}

/** One-click sign-in for each demo user; renders nothing on other servers. */
function DemoUsers() {
  const [users] = useState(() => demoUsers());
  const [isBusy, setBusy] = useState(false);
  if (users.length === 0) return null;
  const signInAs = (username: string, password: string) => {
    setBusy(true);
    signIn(username, password)
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <section aria-label="Demo users">
      <p className="note">This is a demo. Sign in with one click:</p>
      <ul className="demo-people">
        {users.map(({ name, username, password, sees }) => (
          <li key={username}>
            <button
              type="button"
              className="demo-person"
              disabled={isBusy}
              onClick={() => signInAs(username, password)}
            >
              <Avatar id={username} name={name} url={null} size={36} />
              <span className="demo-person-text">
                <strong>{name}</strong>
                <span className="note">{sees}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
