import { Link } from "wouter";
import { register } from "../actions/account";
import { Field, Form } from "../view/Form";
import { Door } from "./Door";

export function Register() {
  return (
    <Door title="Create account">
      <Form
        submit="Create account"
        onSubmit={({ email = "", username = "", password = "" }) => register(email, username, password)}
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
