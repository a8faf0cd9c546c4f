// Password reset: request the email, or, with the token of its link, set a new password.
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { requestReset, confirmReset } from "../actions/account";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { toast } from "../view/toasts";
import { SignedOutPage } from "./SignedOutPage";

export function Reset() {
  const token = new URLSearchParams(location.search).get("token");
  const [isRequested, setRequested] = useState(false);
  const [, navigate] = useLocation();
  if (token !== null)
    return (
      <SignedOutPage title="Set a new password">
        <Form
          submit="Save password"
          onSubmit={async ({ password = "" }) => {
            await confirmReset(token, password);
            toast("Password changed");
            navigate("/signin");
          }}
        >
          <Field
            label="New password"
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={8}
            required
          />
        </Form>
      </SignedOutPage>
    );
  return (
    <SignedOutPage title="Forgot your password?">
      {isRequested ? (
        <p>If that address has an account, we've sent a reset link.</p>
      ) : (
        <Form
          submit="Email me a reset link"
          onSubmit={async ({ email = "" }) => {
            await requestReset(email);
            setRequested(true);
          }}
        >
          <Field label="Email" name="email" type="email" autoComplete="email" required autoFocus />
        </Form>
      )}
      <p className="signed-out-links">
        <Link href="/signin">Back to sign in</Link>
      </p>
    </SignedOutPage>
  );
}
