import { expect, test } from "./fixtures";

const CORPUS = [
  "<script>window.hacked = 1</script>",
  "<img src=x onerror='window.hacked = 1'>",
  "<svg onload=window.hacked=1>",
  "[click](javascript:window.hacked=1)",
  "[click](data:text/html,<script>window.hacked=1</script>)",
  '"><iframe srcdoc="<script>parent.hacked=1</script>">',
  "`</code><script>window.hacked=1</script>`",
  "```\n</pre><script>window.hacked=1</script>\n```",
  "> <b onmouseover=window.hacked=1>quote</b>",
  "{{constructor.constructor('window.hacked=1')()}}",
];

test("no message and no name runs as a script", async ({ newUser, community }) => {
  const [ana, eve] = [await newUser("ana"), await newUser("eve")];
  const { serverId, channelId, path } = await community(ana, eve);
  await ana.api("PATCH", `/servers/${serverId}`, { name: "<img src=x onerror=window.hacked=1>" });
  await ana.api("PATCH", `/channels/${channelId}`, {
    name: "<script>hacked=1</script>",
    topic: "<svg onload=hacked=1>",
  });
  const blocked: string[] = [];
  ana.page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) blocked.push(message.text());
  });
  await ana.goTo(path);
  for (const content of CORPUS) await eve.api("POST", `/channels/${channelId}/messages`, { content });
  await expect(ana.page.locator("[data-message]")).toHaveCount(CORPUS.length);
  await expect(ana.message("<script>window.hacked = 1</script>")).toBeVisible();
  await expect(ana.page.getByRole("heading", { name: "<img src=x onerror=window.hacked=1>" })).toBeVisible();
  const links = await ana.page
    .locator(".message a")
    .evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href));
  for (const link of links) expect(link).toMatch(/^(https?|mailto):/);
  await expect(ana.page.locator(".message iframe, .message script, .message img")).toHaveCount(0);
  expect(await ana.page.evaluate(() => "hacked" in window)).toBe(false);
  expect(blocked).toEqual([]);
});

test("a link to another site is not followed after signing in", async ({ page, server }) => {
  await page.goto(`${server.url}/signin?to=//evil.example/`);
  await page.getByRole("link", { name: "Create account" }).click();
  await page.getByLabel("Email").fill("careful@example.org");
  await page.getByLabel("Username").fill("careful");
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText(/, careful\./)).toBeVisible();
  expect(page.url()).toBe(`${server.url}/`);
});
