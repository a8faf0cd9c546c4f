// A new account: made at once, or, where addresses are confirmed, by the link of a mail.
import { useState } from "react";
import { Link } from "wouter";
import { confirmRegistration, register } from "../actions/account";
import { Field, Form } from "../view/Form";
import { Door } from "./Door";

export function Register() {
  const token = new URLSearchParams(location.search).get("token");
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  if (token !== null)
    return (
      <Door title="Confirm your email">
        <p>One more step: confirm that this address is yours.</p>
        <Form submit="Confirm and sign in" onSubmit={() => confirmRegistration(token)} />
        <p className="door-links">
          <Link href="/register">Start over</Link>
        </p>
      </Door>
    );
  if (mailedTo !== null)
    return (
      <Door title="Check your mail">
        <p>
          We&apos;ve sent a link to <strong>{mailedTo}</strong>. Open it within an hour to finish.
        </p>
        <p className="door-links">
          <Link href="/signin">Back to sign in</Link>
        </p>
      </Door>
    );
  return (
    <Door title="Create account">
      <Form
        submit="Create account"
        onSubmit={async ({ email = "", username = "", password = "" }) => {
          if ((await register(email, username, password)) === "mailed") setMailedTo(email);
        }}
      >
        <Field label="Email" name="email" type="email" autoComplete="email" required autoFocus />
        <Field
          label="Username"
          name="username"
          autoComplete="username"
          minLength={2}
          maxLength={32}
          required
          note="Letters, digits, dots, dashes and underscores."
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          maxLength={256}
          required
          note="At least 8 characters."
        />
      </Form>
      <p className="door-links">
        <Link href={`/signin${location.search}`}>I have an account</Link>
      </p>
    </Door>
  );
}
