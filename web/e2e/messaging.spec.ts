import { expect, test } from "./fixtures";

test("two users see each other's messages, edits, deletions and reactions", async ({
  newUser,
  community,
}) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  await ben.goTo(path);

  await ana.send("Is **anyone** online?");
  await expect(ben.message("Is anyone online?").locator("strong")).toHaveText("anyone");
  await ben.send("I am.");
  await expect(ana.message("I am.")).toBeVisible();
  await expect(ana.page.locator(".message-sending")).toHaveCount(0);

  const mine = ana.message("Is anyone online?");
  await mine.hover();
  await mine.getByRole("button", { name: "Edit" }).click();
  await ana.page.getByLabel("Edit message").fill("Is anyone there?");
  await ana.page.getByLabel("Edit message").press("Enter");
  await expect(ben.message("Is anyone there?")).toContainText("(edited)");

  const theirs = ben.message("Is anyone there?");
  await theirs.hover();
  await theirs.getByRole("button", { name: "React with 👍" }).click();
  await expect(theirs.locator(".reaction[aria-pressed=true]")).toBeVisible();
  await expect(mine.or(ana.message("Is anyone there?")).getByRole("button", { name: "👍, 1" })).toBeVisible();
  await ana.message("Is anyone there?").getByRole("button", { name: "👍, 1" }).click();
  await expect(theirs.getByRole("button", { name: "👍, 2" })).toBeVisible();

  await theirs.hover();
  await theirs.getByRole("button", { name: "Reply" }).click();
  await ben.send("Yes, right here.");
  await expect(
    ana.message("Yes, right here.").getByRole("button", { name: `In reply to ${ana.name}` }),
  ).toBeVisible();

  const gone = ben.message("I am.");
  await gone.hover();
  await gone.getByRole("button", { name: "More" }).click();
  await ben.page.getByRole("menuitem", { name: "Delete" }).click();
  await ben.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(ana.page.getByText("This message was deleted.")).toBeVisible();
  await expect(ana.message("I am.")).toHaveCount(0);
});

test("messages in other channels are counted, and mentions are highlighted", async ({
  newUser,
  community,
}) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { serverId, path } = await community(ana, ben);
  await ana.api("POST", `/servers/${serverId}/channels`, { name: "menu" });
  await ana.goTo(path);
  await expect(ana.box).toBeVisible();
  await ben.goTo(path);
  await ben.page.getByRole("link", { name: "menu" }).click();
  await ben.send("soup");
  const link = ana.page.getByRole("navigation", { name: /^Channels/ }).getByRole("link", { name: "menu" });
  await expect(link).toContainText("1 unread");
  await ben.send(`@${ana.name} soup?`);
  await expect(link).toContainText("1 mention");
  await link.click();
  await expect(ana.page.getByRole("separator", { name: "New messages" })).toBeVisible();
  await expect(link).not.toContainText(/unread|mention/);
  await expect(ana.page.locator(".mention-me")).toHaveText(`@${ana.name}`);
});

test("a direct conversation starts with a username, and shows read receipts", async ({ newUser }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  await ana.goTo("/");
  await ben.goTo("/");
  await ana.page.getByRole("main").getByRole("button", { name: "New message" }).click();
  await ana.page.getByLabel("Username").fill(ben.name);
  await ana.page.getByRole("button", { name: "Add", exact: true }).click();
  await ana.page.getByRole("button", { name: "Start chat" }).click();
  await expect(ana.box).toBeVisible();
  await ana.send("Hola");
  const conversation = ben.page
    .getByRole("navigation", { name: "Conversations" })
    .getByRole("link", { name: ana.name });
  await expect(conversation).toContainText("Hola");
  await expect(conversation).toContainText("1 unread");
  await conversation.click();
  await expect(ben.message("Hola")).toBeVisible();
  await expect(ana.message("Hola").getByLabel(`Seen by ${ben.name}`)).toBeVisible();
});

test("a new user joins with an invite", async ({ newUser, community, browser, server }) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  await ana.page.getByRole("button", { name: "Invite people" }).click();
  await ana.page.getByRole("button", { name: "Create invite" }).click();
  await expect(ana.page.getByRole("img", { name: "Invite QR code" })).toBeVisible();
  const link = await ana.page.getByLabel("Invite link").inputValue();

  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("link", { name: "Create account" }).click();
  await page.getByLabel("Email").fill("fresh@example.org");
  await page.getByLabel("Username").fill("fresh");
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Join Test community" }).click();
  await expect(page.getByRole("heading", { name: "general" }).first()).toBeVisible();
  expect(page.url()).toContain(server.url + path);
  await expect(ana.page.getByRole("complementary", { name: "People" })).toContainText("fresh");
  await context.close();
});

test("a picture is sent with the button and shown to the other user", async ({ newUser, community }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  await ben.goTo(path);
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFElEQVR4nGPcEqzFgA0wYRUdtBIA83gBQTGb2FMAAAAASUVORK5CYII=";
  await ana.page
    .getByLabel("Files", { exact: true })
    .setInputFiles({ name: "terracotta.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
  await expect(ana.page.getByRole("list", { name: "Files to send" })).toContainText("terracotta.png");
  await expect(ana.page.getByRole("button", { name: "Send" })).toBeEnabled();
  await ana.send("look");
  const picture = ben.message("look").getByRole("img", { name: "terracotta.png" });
  await expect(picture).toBeVisible();
  await expect
    .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBeGreaterThan(0);
});

test("files are added by paste and by drop", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  await ana.box.evaluate((box) => {
    const data = new DataTransfer();
    data.items.add(new File(["pasted words"], "pasted.txt", { type: "text/plain" }));
    box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  const tray = ana.page.getByRole("list", { name: "Files to send" });
  await expect(tray).toContainText("pasted.txt");
  await ana.page.getByRole("log").evaluate(async (log) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 300;
    const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
    const data = new DataTransfer();
    data.items.add(new File(["dropped words"], "dropped.txt", { type: "text/plain" }));
    data.items.add(new File([picture ?? ""], "tall.png", { type: "image/png" }));
    for (const type of ["dragover", "drop"])
      log.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await expect(tray).toContainText("dropped.txt");
  await tray.getByRole("button", { name: "Remove pasted.txt" }).click();
  await expect(ana.page.getByRole("button", { name: "Send" })).toBeEnabled();
  await ana.box.press("Enter");
  const card = ana.page.locator("[data-message]").getByRole("button", { name: "Download dropped.txt" });
  await expect(card).toBeVisible();
  // A picture beside it does not stretch it.
  await expect(ana.page.getByRole("button", { name: "Open picture tall.png" })).toBeVisible();
  expect((await card.boundingBox())?.height).toBeLessThan(80);
});

test("a kicked member is removed at once, and roles change live", async ({ newUser, community }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  await ben.goTo(path);
  await expect(ben.box).toBeVisible();
  const people = ana.page.getByRole("complementary", { name: "People" });
  await people.getByRole("button", { name: `Actions for ${ben.name}` }).click();
  await ana.page.getByRole("menuitem", { name: "Make admin" }).click();
  await expect(people.getByRole("region", { name: "Admins" })).toContainText(ben.name);
  await expect(ben.page.getByRole("button", { name: "Create channel" })).toBeVisible();
  await people.getByRole("button", { name: `Actions for ${ben.name}` }).click();
  await ana.page.getByRole("menuitem", { name: "Kick" }).click();
  await ana.page.getByRole("dialog").getByRole("button", { name: "Kick" }).click();
  await expect(people).not.toContainText(ben.name);
  await expect(ben.page.getByRole("heading", { name: /no longer a member/ })).toBeVisible();
});

test("a user creates a community and a channel, and pins a message", async ({ newUser }) => {
  const ana = await newUser("ana");
  const { page } = ana;
  await ana.goTo("/");
  await page.getByRole("button", { name: "Create or join a community" }).first().click();
  await page.getByLabel("Name").fill("Harvest");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Harvest" })).toBeVisible();
  await page.getByRole("button", { name: "Create channel" }).click();
  await page.getByLabel("Name", { exact: true }).fill("olives");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await expect(page.getByRole("heading", { name: "olives", exact: true })).toBeVisible();
  await ana.send("press on Friday");
  const message = ana.message("press on Friday");
  await expect(message).toBeVisible();
  await message.hover();
  await message.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
  await page.getByRole("button", { name: "Pinned messages" }).click();
  await expect(page.getByRole("complementary", { name: "Pinned" })).toContainText("press on Friday");
});

test("presence and typing are shown", async ({ newUser, community }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  const row = ana.page
    .getByRole("complementary", { name: "People" })
    .getByRole("listitem")
    .filter({ hasText: ben.name });
  await expect(row).toContainText("away");
  await ben.goTo(path);
  await expect(row).toContainText("online");
  await ben.box.pressSequentially("let me tell you");
  await expect(ana.page.getByText(`${ben.name} is typing`)).toBeVisible();
  await ben.box.press("Enter");
  await expect(ana.message("let me tell you")).toBeVisible();
  await expect(ana.page.getByText(`${ben.name} is typing`)).toHaveCount(0);
  await ben.context.close();
  await expect(row).toContainText("away", { timeout: 30_000 });
});
