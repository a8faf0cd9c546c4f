// Menus, pickers and dialogs by keyboard.
import { expect, test } from "./fixtures";

test("menus and pickers work by keyboard alone", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  await ana.send("first");
  const { page } = ana;
  const { keyboard } = page;

  // A menu focuses its first item; arrow keys, Home, End and letters move, Escape restores the focus.
  const opener = page.getByRole("button", { name: "Community menu" });
  await opener.focus();
  await keyboard.press("Enter");
  const item = (name: string) => page.getByRole("menuitem", { name });
  await expect(item("Invite people")).toBeFocused();
  await keyboard.press("ArrowDown");
  await keyboard.press("ArrowDown");
  await expect(item("Community settings")).toBeFocused();
  await keyboard.press("ArrowDown");
  await expect(item("Invite people")).toBeFocused();
  await keyboard.press("ArrowUp");
  await expect(item("Community settings")).toBeFocused();
  await keyboard.press("Home");
  await keyboard.press("c");
  await expect(item("Create channel")).toBeFocused();
  // Events meanwhile do not move the focus.
  await ana.api("POST", `/channels/${path.split("/").at(-1) ?? ""}/messages`, { content: "second" });
  await expect(ana.message("second")).toBeVisible();
  await expect(item("Create channel")).toBeFocused();
  await keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(opener).toBeFocused();

  // The emoji picker of the composer: search, move down, choose, and continue typing.
  await ana.box.fill("hello ");
  await page.getByRole("button", { name: "Emoji", exact: true }).focus();
  await keyboard.press("Enter");
  await expect(page.getByLabel("Search emoji")).toBeFocused();
  await keyboard.type("heart");
  await expect(ana.box).toHaveValue("hello ");
  await keyboard.press("ArrowDown");
  await expect(page.getByRole("button", { name: "red heart" })).toBeFocused();
  await keyboard.press("Enter");
  await expect(ana.box).toHaveValue("hello ❤️");
  await expect(ana.box).toBeFocused();
  await page.getByRole("button", { name: "Emoji", exact: true }).focus();
  await keyboard.press("Enter");
  await expect(page.getByLabel("Search emoji")).toBeFocused();
  await keyboard.press("Escape");
  await expect(page.getByLabel("Search emoji")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Emoji", exact: true })).toBeFocused();

  // A profile card opens beside its name, not over the sidebar.
  await ana.message("first").getByRole("button", { name: ana.name }).click();
  const card = page.getByRole("dialog", { name: ana.name });
  await expect(card.getByRole("button")).toBeFocused();
  const edge = await page.locator("main").boundingBox();
  expect((await card.boundingBox())?.x).toBeGreaterThan(edge?.x ?? Infinity);
});

test("a dialog keeps typed text until the user discards it", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  const { page } = ana;
  const { keyboard, mouse } = page;
  await page.getByRole("button", { name: "Create channel" }).click();
  const name = page.getByLabel("Name");
  await name.fill("recipes");

  // Dragging a selection outside does not close it.
  const box = await name.boundingBox();
  if (box === null) throw new Error("no field");
  await mouse.move(box.x + 60, box.y + box.height / 2);
  await mouse.down();
  await mouse.move(5, box.y, { steps: 4 });
  await mouse.up();
  await expect(name).toHaveValue("recipes");
  await expect(page.getByRole("alertdialog")).toHaveCount(0);

  // Escape asks; Escape again, or the button, continues editing.
  await name.focus();
  await keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Keep editing" })).toBeFocused();
  await keyboard.press("Escape");
  await expect(page.getByRole("alertdialog")).toHaveCount(0);
  await expect(name).toBeFocused();
  await mouse.click(5, 5);
  await page.getByRole("button", { name: "Keep editing" }).click();
  await expect(name).toHaveValue("recipes");
  await keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(name).toHaveCount(0);

  // Without typed text it closes at once.
  await page.getByRole("button", { name: "Create channel" }).click();
  await keyboard.press("Escape");
  await expect(name).toHaveCount(0);
});
