import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { render } from "../view/testing";
import { Register } from "./Register";

afterEach(() => {
  vi.unstubAllGlobals();
  act(() => history.replaceState(null, "", "/"));
  document.body.replaceChildren();
});

interface SentRequest {
  path: string;
  body: unknown;
}

/** Stub the server with responses by path; returns the requests it receives. */
function serve(answers: Record<string, [number, unknown]>): SentRequest[] {
  const requests: SentRequest[] = [];
  vi.stubGlobal("fetch", (url: string, how: { body: string }) => {
    const path = new URL(url, location.href).pathname;
    requests.push({ path, body: JSON.parse(how.body) as unknown });
    const [status, body] = answers[path] ?? [500, {}];
    return Promise.resolve(Response.json(body, { status }));
  });
  return requests;
}

/** Fill in and submit the form, and wait until the page shows a text. */
async function submit(container: HTMLElement, fields: Record<string, string>, text: string): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    const input = container.querySelector<HTMLInputElement>(`[name=${name}]`);
    if (input !== null) input.value = value;
  }
  act(() => container.querySelector("form")?.requestSubmit());
  await vi.waitFor(async () => {
    await act(() => Promise.resolve());
    expect(container.textContent).toContain(text);
  });
}

it("asks the user to check their email where the server confirms addresses", async () => {
  const requests = serve({
    "/v1/auth/register": [403, { code: "registration_by_mail", detail: "by mail" }],
    "/v1/auth/registrations": [202, {}],
  });
  const { container } = render(<Register />);
  await submit(
    container,
    { email: "ana@example.com", username: "ana", password: "correct horse" },
    "Check your email",
  );
  expect(requests.map((each) => each.path)).toEqual(["/v1/auth/register", "/v1/auth/registrations"]);
  expect(container.textContent).toContain("ana@example.com");
});

it("finishes the registration with the token of the emailed link", async () => {
  act(() => history.replaceState(null, "", "/register?token=secret-token"));
  const requests = serve({
    "/v1/auth/registrations/confirm": [400, { code: "bad_token", detail: "Too old." }],
  });
  const { container } = render(<Register />);
  await submit(container, {}, "Too old.");
  expect(requests).toMatchObject([
    { path: "/v1/auth/registrations/confirm", body: { token: "secret-token" } },
  ]);
});
