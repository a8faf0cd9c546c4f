// Opening a room with unread messages, and moving in it by keyboard.
import { expect, test, type TestUser } from "./fixtures";

async function fill(person: TestUser, channelId: string, count: number, word: string): Promise<void> {
  for (let start = 0; start < count; start += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, count - start) }, (_, index) =>
        person.api("POST", `/channels/${channelId}/messages`, { content: `${word} ${start + index}.` }),
      ),
    );
}

test("a channel with 120 unread messages opens at the first one, and marks only shown ones as read", async ({
  newUser,
  community,
}) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { channelId, serverId, path } = await community(ana, ben);
  await ana.goTo(path);
  await ana.send("the last that I read");
  await expect(ana.message("the last that I read")).toBeVisible();
  await ana.goTo("/settings");
  await ben.api("POST", `/channels/${channelId}/messages`, { content: "the first unread" });
  await fill(ben, channelId, 119, "number");

  await ana.page.getByRole("link", { name: /Test community/ }).click();
  await expect(ana.message("the first unread")).toBeInViewport();
  await expect(ana.page.getByRole("separator", { name: "New messages" })).toBeInViewport();
  await expect(ana.message("the last that I read")).toBeInViewport();
  const unread = async () => (await ana.api<{ count: number }>("GET", `/channels/${channelId}/unread`)).count;
  await expect.poll(unread).toBeLessThan(120);
  expect(await unread()).toBeGreaterThan(80);

  // The end is one click away, and then nothing is unread.
  await ana.page.getByRole("button", { name: "Newest messages" }).click();
  await expect.poll(unread).toBe(0);
  await ben.api("POST", `/channels/${channelId}/messages`, { content: "and one more" });
  await expect(ana.message("and one more")).toBeInViewport();

  // A new member starts at the first message after joining.
  const cleo = await newUser("cleo");
  const { code } = await ana.api<{ code: string }>("POST", `/servers/${serverId}/invites`, {});
  await cleo.api("POST", `/invites/${code}/redeem`);
  await ben.api("POST", `/channels/${channelId}/messages`, { content: "welcome" });
  await fill(ben, channelId, 60, "later");
  await cleo.goTo(path);
  await expect(cleo.message("welcome")).toBeInViewport();
  await expect(cleo.page.getByRole("separator", { name: "New messages" })).toBeInViewport();
});

test("a conversation opens at its first unread message, too", async ({ newUser }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { convoId } = await ana.api<{ convoId: string }>("POST", "/conversations", {
    type: "direct",
    userIds: [ben.id],
  });
  const send = (content: string) => ben.api("POST", `/conversations/${convoId}/messages`, { content });
  await ana.goTo(`/d/${convoId}`);
  await ana.send("read so far");
  await expect(ana.message("read so far")).toBeVisible();
  await ana.goTo("/settings");
  await send("the first unread");
  for (let number = 0; number < 40; number++) await send(`number ${number}.`);
  await ana.goTo(`/d/${convoId}`);
  await expect(ana.message("the first unread")).toBeInViewport();
  await expect(ana.page.getByRole("separator", { name: "New messages" })).toBeInViewport();
  await expect(ana.page.getByRole("button", { name: "Newest messages" })).toBeVisible();
});

test("a room has few tab stops, and they reach every control of a message", async ({
  newUser,
  community,
}) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { channelId, path } = await community(ana, ben);
  for (let number = 0; number < 10; number++)
    for (const each of [ana, ben]) {
      const { messageId } = await each.api<{ messageId: string }>("POST", `/channels/${channelId}/messages`, {
        content: `number ${number} of https://example.org/${each.name} for @${ana.name}`,
      });
      await ben.api(
        "PUT",
        `/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent("👍")}`,
      );
    }
  await ana.goTo(path);
  const { page } = ana;
  const { keyboard } = page;
  await page.getByRole("button", { name: "Newest messages" }).click();
  await expect(ana.message(`number 9 of https://example.org/${ben.name}`)).toBeVisible();
  const stops = await page
    .getByRole("log")
    .evaluate(
      (log) =>
        [log, ...log.querySelectorAll<HTMLElement>("*")].filter(
          (each) => each.tabIndex >= 0 && getComputedStyle(each).visibility === "visible",
        ).length,
    );
  expect(stops).toBeLessThan(10);

  await page.getByRole("log").focus();
  await keyboard.press("ArrowUp");
  await keyboard.press("ArrowUp");
  const message = ana.message(`number 9 of https://example.org/${ana.name}`);
  await expect(message).toBeFocused();
  // Its own controls follow; the toolbar is one stop, with arrows inside.
  await keyboard.press("Tab");
  await expect(message.getByRole("button", { name: ana.name, exact: true })).toBeFocused();
  await keyboard.press("Tab");
  await expect(message.getByRole("link")).toBeFocused();
  await keyboard.press("Tab");
  await expect(message.getByRole("button", { name: `@${ana.name}` })).toBeFocused();
  await keyboard.press("Tab");
  await expect(message.getByRole("button", { name: "👍, 1" })).toBeFocused();
  await keyboard.press("Tab");
  await keyboard.press("Tab");
  await expect(message.getByRole("button", { name: "React with 👍" })).toBeFocused();
  await keyboard.press("ArrowLeft");
  await expect(message.getByRole("button", { name: "More" })).toBeFocused();
  await keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Copy text" })).toBeFocused();
  // Only one of Pin and Unpin is offered, and the message is marked.
  await expect(page.getByRole("menuitem", { name: "Unpin" })).toHaveCount(0);
  await page.getByRole("menuitem", { name: "Pin", exact: true }).press("Enter");
  await expect(message.getByText("Pinned")).toBeVisible();
  await message.getByRole("button", { name: "More" }).press("Enter");
  await expect(page.getByRole("menuitem", { name: "Pin", exact: true })).toHaveCount(0);
  await page.getByRole("menuitem", { name: "Unpin" }).press("Enter");
  await expect(message.getByText("Pinned")).toHaveCount(0);
});
