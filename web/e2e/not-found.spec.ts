// Missing pages and lost access: the screen says what happened and links home.
import { expect, test } from "./fixtures";

test("a kicked member is notified on any screen, and can go home", async ({ newUser, community }) => {
  const [ana, ben, cleo] = [await newUser("ana"), await newUser("ben"), await newUser("cleo")];
  const { serverId, path } = await community(ana, ben, cleo);
  await ben.goTo(path);
  await expect(ben.box).toBeVisible();
  await cleo.goTo("/settings");
  await expect(cleo.page.getByRole("link", { name: /Test community/ })).toBeVisible();
  for (const each of [ben, cleo]) await ana.api("DELETE", `/servers/${serverId}/members/${each.id}`);

  await expect(
    ben.page.getByRole("heading", { name: "You're no longer a member of Test community" }),
  ).toBeVisible();
  await expect(ben.page.locator(".skeleton")).toHaveCount(0);
  await ben.page.getByRole("link", { name: "Back to home" }).click();
  await expect(ben.page.getByRole("heading", { name: "Home" })).toBeVisible();
  await expect(cleo.page.getByRole("status").filter({ hasText: "no longer a member" })).toBeVisible();
});

test("a wrong URL shows an error and a link home", async ({ newUser }) => {
  const ana = await newUser("ana");
  const nothing = "01JD0000000000000000000000";
  for (const [path, title] of [
    [`/c/${nothing}/${nothing}`, "You're not a member"],
    [`/d/${nothing}`, "You're not in this conversation"],
    [`/t/${nothing}`, "You're not in this thread"],
    [`/w/${nothing}`, "You're not a member of this workspace"],
    ["/no/such/page", "Page not found"],
  ] as const) {
    await ana.goTo(path);
    await expect(ana.page.getByRole("heading", { name: title })).toBeVisible();
    await expect(ana.page.locator(".skeleton")).toHaveCount(0);
    await expect(ana.page.getByRole("link", { name: "Back to home" })).toBeVisible();
  }
  await ana.page.getByRole("link", { name: "Back to home" }).click();
  await expect(ana.page.getByRole("heading", { name: "Home" })).toBeVisible();
});

test("after a sign-out the next user does not open the page of the previous one", async ({
  newUser,
  community,
  server,
}) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { path } = await community(ana);
  await ana.goTo(path);
  await expect(ana.box).toBeVisible();
  const { page } = ana;
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  expect(page.url()).toBe(`${server.url}/signin`);
  await page.getByLabel("Email or username").fill(`${ben.name}@example.org`);
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText(`, ${ben.name}.`)).toBeVisible();
});
