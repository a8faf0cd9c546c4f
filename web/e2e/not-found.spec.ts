// Places that are not there, or no longer: what happened is said, and there is a way out.
import { expect, test } from "./world";

test("somebody who is kicked is told, wherever they are, and has a way out", async ({
  newcomer,
  community,
}) => {
  const [ana, ben, cleo] = [await newcomer("ana"), await newcomer("ben"), await newcomer("cleo")];
  const { serverId, path } = await community(ana, ben, cleo);
  await ben.goTo(path);
  await expect(ben.box).toBeVisible();
  await cleo.goTo("/settings");
  await expect(cleo.page.getByRole("link", { name: /The long table/ })).toBeVisible();
  for (const each of [ben, cleo]) await ana.api("DELETE", `/servers/${serverId}/members/${each.id}`);

  await expect(
    ben.page.getByRole("heading", { name: "You're no longer a member of The long table" }),
  ).toBeVisible();
  await expect(ben.page.locator(".skeleton")).toHaveCount(0);
  await ben.page.getByRole("link", { name: "Back to home" }).click();
  await expect(ben.page.getByRole("heading", { name: "Home" })).toBeVisible();
  await expect(cleo.page.getByRole("status").filter({ hasText: "no longer a member" })).toBeVisible();
});

test("a wrong address says so and leads home", async ({ newcomer }) => {
  const ana = await newcomer("ana");
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

test("after a sign-out the next person does not land where the one before was", async ({
  newcomer,
  community,
  server,
}) => {
  const [ana, ben] = [await newcomer("ana"), await newcomer("ben")];
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
