// A forgotten password: ask for a mail, or, with the token that it brought, set a new one.
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { askReset, confirmReset } from "../actions/account";
import { Field, Form } from "../view/Form";
import { toast } from "../view/toasts";
import { Door } from "./Door";

export function Reset() {
  const token = new URLSearchParams(location.search).get("token");
  const [isAsked, setAsked] = useState(false);
  const [, navigate] = useLocation();
  if (token !== null)
    return (
      <Door title="New password">
        <Form
          submit="Save password"
          onSubmit={async ({ password = "" }) => {
            await confirmReset(token, password);
            toast("Your password is changed.");
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
      </Door>
    );
  return (
    <Door title="Forgot your password?">
      {isAsked ? (
        <p>If that address has an account, we've sent a reset link.</p>
      ) : (
        <Form
          submit="Email me a reset link"
          onSubmit={async ({ email = "" }) => {
            await askReset(email);
            setAsked(true);
          }}
        >
          <Field label="Email" name="email" type="email" autoComplete="email" required autoFocus />
        </Form>
      )}
      <p className="door-links">
        <Link href="/signin">Back to sign in</Link>
      </p>
    </Door>
  );
}
