import { expect, test } from "./fixtures";

test("the main features work by keyboard", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const { serverId, path } = await community(ana);
  await ana.api("POST", `/servers/${serverId}/channels`, { name: "menu" });
  await ana.goTo(path);
  const { keyboard } = ana.page;
  await ana.box.focus();

  await keyboard.type("first");
  await keyboard.press("Enter");
  await expect(ana.message("first")).toBeVisible();

  // The up arrow edits the last message.
  await keyboard.press("ArrowUp");
  await expect(ana.page.getByLabel("Edit message")).toBeFocused();
  await keyboard.type(" words");
  await keyboard.press("Enter");
  await expect(ana.message("first words")).toBeVisible();

  // A mention is completed.
  await ana.box.focus();
  await keyboard.type(`hey @${ana.name.slice(0, 3)}`);
  await expect(ana.page.getByRole("option", { name: ana.name })).toBeVisible();
  await keyboard.press("Tab");
  await expect(ana.box).toHaveValue(`hey @${ana.name} `);
  await keyboard.press("Enter");

  // From the list to a message, to its toolbar.
  await ana.page.getByRole("log").focus();
  await keyboard.press("ArrowUp");
  await keyboard.press("ArrowUp");
  await expect(ana.message("first words")).toBeFocused();
  for (let step = 0; step < 12; step++) {
    await keyboard.press("Tab");
    if (
      (await ana.page.evaluate(() => document.activeElement?.getAttribute("aria-label"))) === "React with 👍"
    )
      break;
  }
  await keyboard.press("Enter");
  await expect(ana.message("first words").getByRole("button", { name: "👍, 1" })).toBeVisible();

  // Alt with an arrow key goes to the next channel, Ctrl-K opens the quick switcher.
  await keyboard.press("Alt+ArrowDown");
  await expect(ana.page.getByRole("heading", { name: "menu", exact: true })).toBeVisible();
  await keyboard.press("Control+k");
  await keyboard.type("gnrl");
  await expect(ana.page.getByRole("option", { name: "general" })).toBeVisible();
  await keyboard.press("Enter");
  await expect(ana.page).toHaveURL(new RegExp(`${path}$`));
});

test("Escape marks new messages as read", async ({ newUser, community }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { channelId, path } = await community(ana, ben);
  await ben.api("POST", `/channels/${channelId}/messages`, { content: "new" });
  await ana.goTo(path);
  await expect(ana.page.getByRole("separator", { name: "New messages" })).toBeVisible();
  await ana.box.press("Escape");
  await expect(ana.page.getByRole("separator", { name: "New messages" })).toHaveCount(0);
});
