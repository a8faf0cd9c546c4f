import { Link } from "wouter";
import { signIn } from "../actions/account";
import { Field, Form } from "../view/Form";
import { Door } from "./Door";

export function SignIn() {
  return (
    <Door title="Good to see you">
      <Form submit="Sign in" onSubmit={({ email = "", password = "" }) => signIn(email, password)}>
        <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      </Form>
      <p className="door-links">
        <Link href={`/register${location.search}`}>Make an account</Link>
        <Link href="/reset">Forgot the password?</Link>
      </p>
    </Door>
  );
}
