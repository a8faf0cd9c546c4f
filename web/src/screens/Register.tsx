// Registration: immediate, or, where the server confirms addresses, with a link sent by email.
import { useState } from "react";
import { Link } from "wouter";
import { confirmRegistration, register } from "../actions/account";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { SignedOutPage } from "./SignedOutPage";

export function Register() {
  const token = new URLSearchParams(location.search).get("token");
  const [mailedTo, setMailedTo] = useState<string | null>(null);
  if (token !== null)
    return (
      <SignedOutPage title="Confirm your email">
        <p>Confirm your email address to finish creating your account.</p>
        <Form submit="Confirm and sign in" onSubmit={() => confirmRegistration(token)} />
        <p className="signed-out-links">
          <Link href="/register">Start over</Link>
        </p>
      </SignedOutPage>
    );
  if (mailedTo !== null)
    return (
      <SignedOutPage title="Check your email">
        <p>
          We&apos;ve sent a link to <strong>{mailedTo}</strong>. Open it within an hour to finish.
        </p>
        <p className="signed-out-links">
          <Link href="/signin">Back to sign in</Link>
        </p>
      </SignedOutPage>
    );
  return (
    <SignedOutPage title="Create account">
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
          note="Letters, numbers, dots, dashes and underscores."
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
      <p className="signed-out-links">
        <Link href={`/signin${location.search}`}>Already have an account? Sign in</Link>
      </p>
    </SignedOutPage>
  );
}
