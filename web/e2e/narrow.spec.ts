import { expect, test } from "./fixtures";

test("on a phone the sidebar is a drawer, and nothing is wider than the screen", async ({
  newUser,
  community,
}) => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const [ana, ben] = [await newUser("ana", phone), await newUser("ben")];
  const { path, channelId } = await community(ana, ben);
  await ben.api("POST", `/channels/${channelId}/messages`, {
    content: `long${"x".repeat(300)} and \`code ${"y".repeat(200)}\``,
  });
  await ben.api("POST", `/channels/${channelId}/messages`, { content: "```\n" + "z".repeat(400) + "\n```" });
  await ana.goTo(path);
  await expect(ana.box).toBeInViewport();
  const isWide = () => ana.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(await isWide()).toBe(false);

  await ana.page.getByRole("button", { name: "Open sidebar" }).click();
  await expect(ana.page.getByRole("link", { name: "general" })).toBeInViewport();
  await ana.page
    .getByRole("navigation", { name: "Communities" })
    .getByRole("link", { name: /^Conversations/ })
    .click();
  await expect(ana.page.getByRole("heading", { name: "Home" })).toBeInViewport();
  expect(await isWide()).toBe(false);

  // The invite dialog fits, with its link and the Revoke buttons.
  await ana.goTo(path);
  await ana.page.getByRole("button", { name: "Open sidebar" }).click();
  await ana.page.getByRole("button", { name: "Invite people" }).click();
  await ana.page.getByRole("button", { name: "Create invite" }).click();
  await expect(ana.page.getByLabel("Invite link")).toBeVisible();
  const dialog = await ana.page.getByRole("dialog").boundingBox();
  const revoke = await ana.page.getByRole("button", { name: "Revoke" }).first().boundingBox();
  expect((revoke?.x ?? 0) + (revoke?.width ?? 0)).toBeLessThan((dialog?.x ?? 0) + (dialog?.width ?? 0));
  const overflow = (each: Element) => each.scrollWidth - each.clientWidth;
  expect(await ana.page.getByRole("dialog").evaluate(overflow)).toBe(0);

  await ana.goTo(path);
  await ana.send("from the street");
  await expect(ana.message("from the street")).toBeInViewport();
  await ana.page.getByRole("button", { name: "People" }).click();
  await expect(ana.page.getByRole("complementary", { name: "People" })).toBeInViewport();
  expect(await isWide()).toBe(false);
});
