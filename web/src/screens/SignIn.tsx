import { Link } from "wouter";
import { signIn } from "../actions/account";
import { Field, Form } from "../view/Form";
import { Door } from "./Door";

export function SignIn() {
  return (
    <Door title="Sign in">
      <Form submit="Sign in" onSubmit={({ email = "", password = "" }) => signIn(email, password)}>
        <Field label="Email or username" name="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      </Form>
      <p className="door-links">
        <Link href={`/register${location.search}`}>Create account</Link>
        <Link href="/reset">Forgot your password?</Link>
      </p>
    </Door>
  );
}
