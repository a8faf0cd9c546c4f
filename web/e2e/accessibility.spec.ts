import { Audit } from "./axe";
import { expect, test } from "./fixtures";

test("every screen has no axe violations, in light and in dark", async ({ newUser, community, server }) => {
  test.setTimeout(120_000); // axe looks at every element of a dozen screens
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { channelId, path } = await community(ana, ben);
  const message = await ben.api<{ messageId: string }>("POST", `/channels/${channelId}/messages`, {
    content: `**hello** @${ana.name}, \`code\`, https://example.org\n> quote\n- list`,
  });
  await ana.api(
    "PUT",
    `/channels/${channelId}/messages/${message.messageId}/reactions/${encodeURIComponent("👍")}`,
  );
  await ana.api("PUT", `/channels/${channelId}/pins/${message.messageId}`);
  await ana.api("POST", `/channels/${channelId}/messages`, {
    content: "an answer",
    replyTo: message.messageId,
  });
  const { convoId } = await ana.api<{ convoId: string }>("POST", "/conversations", {
    type: "direct",
    userIds: [ben.id],
  });
  await ben.api("POST", `/conversations/${convoId}/messages`, { content: "hola" });

  const { page } = ana;
  const audit = new Audit(page);
  await ana.goTo("/");
  await expect(page.getByRole("heading", { name: "Recent" })).toBeVisible();
  await audit.look("home");
  await ana.goTo(path);
  await expect(ana.message("an answer")).toBeVisible();
  await ana.message("an answer").hover();
  await audit.look("channel");
  await page.getByRole("button", { name: "Pinned messages" }).click();
  await expect(page.getByText("Jump to message")).toBeVisible();
  await audit.look("pins");
  await page.getByRole("button", { name: "Emoji" }).click();
  await expect(page.getByLabel("Search emoji")).toBeVisible();
  await audit.look("emoji", ".popover");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await audit.look("switcher", "dialog[open]");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Invite people" }).click();
  await page.getByRole("button", { name: "Create invite" }).click();
  await expect(page.getByLabel("Invite link")).toBeVisible();
  await audit.look("invite", "dialog[open]");
  await ana.goTo(`/d/${convoId}`);
  await expect(ana.message("hola")).toBeVisible();
  await audit.look("conversation");
  for (const tab of ["profile", "appearance", "security"]) {
    await ana.goTo(`/settings/${tab}`);
    await expect(page.locator(".settings")).toBeVisible();
    await audit.look(`settings/${tab}`);
  }
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await audit.look("sign in");
  await page.goto(`${server.url}/register`);
  await audit.look("register");
  expect(audit.found).toEqual({});
});

test("the page stays small", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  let bytes = 0;
  const session = await ana.context.newCDPSession(ana.page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", (event) => (bytes += event.encodedDataLength));
  await ana.goTo(path);
  await expect(ana.box).toBeEnabled();
  await ana.page.waitForLoadState("networkidle");
  expect(bytes).toBeLessThan(250_000);
});
