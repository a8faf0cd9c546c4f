// Content of cards, tabs, items and notifications is shown as text, on narrow screens too.
import { createThread, expect, test, type TestUser } from "./fixtures";

const CORPUS = [
  "<script>window.hacked = 1</script>",
  "<img src=x onerror='window.hacked = 1'>",
  "<svg onload=window.hacked=1>",
  "[click](javascript:window.hacked=1)",
  '"><iframe srcdoc="<script>parent.hacked=1</script>">',
  "{{constructor.constructor('window.hacked=1')()}}",
  "x".repeat(180),
];
const ALL = CORPUS.join("\n");

async function isSafe(person: TestUser, words = CORPUS[1] ?? ""): Promise<void> {
  const { page } = person;
  await expect(page.locator("main").getByText(words).first()).toBeVisible();
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await expect(page.locator("iframe, main script, main img[src=x]")).toHaveCount(0);
  const links = await page
    .locator("main a")
    .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href));
  for (const link of links) expect(link).toMatch(/^(https?|mailto):/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
}

for (const [name, options] of [
  ["a wide screen", {}],
  ["a phone", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
] as const) {
  test(`on ${name} content is shown as text, and nothing is wider than the screen`, async ({
    newUser,
    server,
  }) => {
    test.setTimeout(90_000);
    const [ana, bo] = [await newUser("ana", options), await newUser("bo")];
    const blocked: string[] = [];
    ana.page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) blocked.push(message.text());
    });
    const threadId = await createThread(ana, bo);
    const at = `/threads/${threadId}`;
    const note = ALL;
    const title = CORPUS[1] ?? "";
    const startsAt = "2027-03-01T10:00:00Z";
    for (const [type, payload] of Object.entries({
      offer: { amount: 100, currency: "XXX", note },
      booking: { startsAt, place: title, note },
      delivery: { title, note, files: [title] },
      "payment-request": { amount: 100, currency: "EUR", note },
      amendment: { title, text: note },
    }))
      await bo.api("POST", `${at}/cards`, { type, payload });
    for (const [tab, content] of Object.entries({
      brief: { text: ALL },
      moodboard: { entries: CORPUS.map((text) => ({ text })) },
      shotlist: { shots: CORPUS.map((shot) => ({ title: shot })) },
      files: { files: [{ fileId: title, name: title, mime: title, size: 1 }] },
    }))
      await bo.api("PUT", `${at}/tabs/${tab}`, { content, sourceVersion: 1 });
    await bo.api("POST", `${at}/documents`, { title, kind: "other", body: ALL });
    const spent = { title, amount: 1, currency: "EUR", category: "<b>x</b>", incurredOn: "2026-11-01" };
    await bo.api("POST", `${at}/expenses`, spent);

    await ana.goTo(`/t/${threadId}`);
    await isSafe(ana);
    if (!(await ana.page.getByRole("tab", { name: "Brief" }).isVisible()))
      await ana.page.getByRole("button", { name: "Project" }).click();
    for (const tab of ["Brief", "Moodboard", "Shotlist", "Files", "Documents", "Expenses"]) {
      await ana.page.getByRole("tab", { name: tab }).click();
      await expect(ana.page.getByRole("tabpanel").getByText(title).first()).toBeVisible();
      await isSafe(ana);
    }
    await bo.api("PUT", `${at}/tabs/brief`, { content: { [title]: CORPUS }, sourceVersion: 2 });
    await ana.page.getByRole("tab", { name: "Brief" }).click();
    await expect(ana.page.getByRole("tabpanel").getByText(title).first()).toBeVisible();
    await isSafe(ana);

    const inbox = `odd${Date.now()}`;
    for (const [index, text] of CORPUS.entries())
      await server.publish(inbox, {
        title: text,
        body: index % 2 === 0 ? ALL : { [title]: CORPUS },
        category: "<i>x</i>",
      });
    await ana.goTo(`/inbox/${inbox}`);
    for (const head of await ana.page.locator(".inbox-head").all()) {
      await head.click();
      await expect(head).toHaveAttribute("aria-expanded", "true");
    }
    await isSafe(ana);

    const { workspaceId } = await ana.api<{ workspaceId: string }>("POST", "/workspaces", { name: title });
    for (const text of CORPUS)
      await ana.api("POST", `/workspaces/${workspaceId}/items`, {
        title: text,
        status: text.slice(0, 90),
        data: { [title]: text },
      });
    await ana.api("PUT", `/workspaces/${workspaceId}/settings/odd`, { value: CORPUS });
    await ana.goTo(`/w/${workspaceId}`);
    await isSafe(ana);
    await ana.page.getByRole("button", { name: "List", exact: true }).click();
    await isSafe(ana);
    await ana.page.getByRole("button", { name: new RegExp("^<svg") }).click();
    await expect(ana.page.getByLabel("Title")).toHaveValue(CORPUS[2] ?? "");
    await ana.goTo(`/w/${workspaceId}/settings`);
    await isSafe(ana);
    expect(blocked).toEqual([]);
  });
}
