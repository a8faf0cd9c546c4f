import { expect, test } from "./fixtures";

test("a broadcast arrives live, is counted everywhere, and disappears when archived or snoozed", async ({
  newUser,
  server,
}) => {
  const ana = await newUser("ana");
  const { page } = ana;
  const inbox = `live${Date.now()}`;
  await server.publish(inbox, { title: "Before", body: "first", category: "news" });
  await ana.goTo(`/inbox/${inbox}`);
  const rail = page.getByRole("navigation", { name: "Communities" }).getByRole("link", { name: /^Inbox/ });
  const rows = page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  await page.evaluate(() => ((window as unknown as { stayed: boolean }).stayed = true));

  await server.publish(inbox, {
    title: "The trains do not run",
    body: "Until **Thursday**",
    category: "travel",
    ctaUri: "https://example.org/trains",
  });
  await server.publish(inbox, {
    title: "Only for you",
    category: "news",
    audience: { kind: "users", userIds: [ana.id] },
    ctaUri: "javascript:window.hacked=1",
  });
  await expect(rows).toHaveCount(3);
  await expect(rows.first()).toContainText("Only for you");
  await expect(rail).toHaveAccessibleName(/3 unread/);
  await expect(page.getByRole("link", { name: /travel/ })).toContainText("1");
  expect(await page.evaluate(() => "stayed" in window)).toBe(true);

  await rows.filter({ hasText: "trains" }).getByRole("button", { expanded: false }).first().click();
  const action = page.getByRole("link", { name: /example\.org/ });
  await expect(action).toHaveAttribute("rel", /noopener/);
  await expect(action).toHaveAttribute("href", "https://example.org/trains");
  await expect(rail).toHaveAccessibleName(/2 unread/);

  const mine = rows.filter({ hasText: "Only for you" });
  await mine.locator(".inbox-head").click();
  await expect(mine).toContainText("javascript:window.hacked=1");
  await expect(mine.getByRole("link")).toHaveCount(0);
  await mine.getByRole("button", { name: "Archive" }).click();
  await expect(rows).toHaveCount(2);

  const before = rows.filter({ hasText: "Before" });
  await before.hover();
  await before.getByRole("button", { name: "Snooze" }).click();
  await page.getByRole("menuitem", { name: "For an hour" }).click();
  await expect(rows).toHaveCount(1);
  await page.reload();
  await expect(rows).toHaveCount(1);
});

test("a category is marked as read at once, and a muted one is not counted", async ({ newUser, server }) => {
  const ana = await newUser("ana");
  const { page } = ana;
  const inbox = `marks${Date.now()}`;
  for (const [title, category] of [
    ["a", "news"],
    ["b", "news"],
    ["c", "offers"],
    ["d", "offers"],
  ])
    await server.publish(inbox, { title, category });
  await ana.goTo(`/inbox/${inbox}/news`);
  const rows = page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
  const all = page.getByRole("region", { name: inbox }).getByRole("link", { name: /^All/ });
  await expect(rows).toHaveCount(2);
  await page.getByRole("button", { name: /^Mark all/ }).click();
  await expect(all).toContainText("2 unread");
  await page.getByRole("region", { name: inbox }).getByRole("button", { name: "Options for offers" }).click();
  await page.getByRole("menuitem", { name: /^Mute/ }).click();
  await expect(all).not.toContainText("unread");
  await page.reload();
  await expect(all).not.toContainText("unread");
  await page.getByRole("button", { name: /^Unread/ }).click();
  await expect(page.getByText("You're all caught up")).toBeVisible();
});
