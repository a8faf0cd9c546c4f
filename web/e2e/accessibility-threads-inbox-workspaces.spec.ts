import { Audit } from "./axe";
import { createThread, expect, test } from "./fixtures";

test("threads, inbox and workspaces have no axe violations, in light and in dark", async ({
  newUser,
  server,
}) => {
  test.setTimeout(90_000);
  const [ana, bo] = [await newUser("ana"), await newUser("bo")];
  const threadId = await createThread(ana, bo);
  const at = `/threads/${threadId}`;
  const made = async (type: string, payload: object) =>
    await bo.api<{ messageId: string }>("POST", `${at}/cards`, { type, payload });
  await bo.api("POST", `${at}/messages`, { content: "hello" });
  await made("offer", { amount: 100, currency: "EUR", note: "a note", expiresAt: "2030-01-01T00:00:00Z" });
  await made("booking", { startsAt: "2027-01-01T10:00:00Z", place: "here" });
  const delivery = await made("delivery", { title: "Prints" });
  const asked = { to: "revision-requested", version: 1, payload: { note: "warmer" } };
  await ana.api("POST", `${at}/cards/${delivery.messageId}/transitions`, asked);
  const amendment = await made("amendment", { title: "More", text: "an hour" });
  await ana.api("POST", `${at}/cards/${amendment.messageId}/transitions`, { to: "accepted", version: 1 });
  await bo.api("PUT", `${at}/tabs/shotlist`, {
    content: { shots: [{ title: "a", done: true }] },
    sourceVersion: 1,
  });
  await bo.api("PUT", `${at}/tabs/moodboard`, {
    content: { entries: [{ text: "warm" }] },
    sourceVersion: 1,
  });
  const spent = {
    title: "Train",
    amount: 1,
    currency: "EUR",
    category: "travel",
    incurredOn: "2026-11-01",
  };
  await bo.api("POST", `${at}/expenses`, spent);
  await bo.api("POST", `${at}/documents`, { title: "License", kind: "other", body: "text" });
  for (const category of ["news", "offers"])
    await server.publish("axe", { title: "A notice", body: "x", category });
  const { workspaceId } = await ana.api<{ workspaceId: string }>("POST", "/workspaces", {
    name: "Kitchen",
  });
  await ana.api("POST", `/workspaces/${workspaceId}/items`, {
    title: "Coffee",
    status: "open",
    data: { a: 1 },
  });
  await ana.api("PUT", `/workspaces/${workspaceId}/settings/a`, { value: { b: 1 } });

  const { page } = ana;
  const audit = new Audit(page);
  await ana.goTo(`/t/${threadId}`);
  await expect(ana.message("accepted the amendment")).toBeVisible();
  await audit.look("thread");
  for (const tab of ["Moodboard", "Shotlist", "Files", "Documents", "Expenses", "Actions"]) {
    await page.getByRole("tab", { name: tab }).click();
    await audit.look(tab, "[role=tabpanel]");
  }
  await page.getByRole("button", { name: "People", exact: true }).click();
  await audit.look("people");
  await page.getByRole("button", { name: "Create card" }).click();
  await audit.look("menu", "[role=menu]");
  await page.getByRole("menuitem", { name: "Booking" }).click();
  await audit.look("form", "dialog[open]");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "New thread" }).click();
  await audit.look("new thread", "dialog[open]");
  await ana.goTo("/inbox/axe");
  await page.locator(".inbox-head").first().click();
  await expect(page.locator(".inbox-body")).toBeVisible();
  await audit.look("inbox");
  await ana.goTo(`/w/${workspaceId}`);
  await expect(page.getByRole("region", { name: "Board" })).toBeVisible();
  await audit.look("board");
  await page.getByRole("button", { name: "Coffee", exact: true }).click();
  await audit.look("item", "dialog[open]");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "List", exact: true }).click();
  await audit.look("list");
  for (const part of ["people", "settings"]) {
    await ana.goTo(`/w/${workspaceId}/${part}`);
    await expect(page.locator(".settings")).toBeVisible();
    await audit.look(part);
  }
  expect(audit.found).toEqual({});
});
