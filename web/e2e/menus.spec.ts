// Layers by keyboard: menus, pickers and dialogs.
import { expect, test } from "./world";

test("menus and pickers are used by keyboard alone", async ({ newcomer, community }) => {
  const ana = await newcomer("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  await ana.say("first");
  const { page } = ana;
  const { keyboard } = page;

  // A menu begins at its first item; arrows, Home, End and letters go over it, Escape gives the focus back.
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
  // What happens on the page meanwhile leaves the focus where it is.
  await ana.api("POST", `/channels/${path.split("/").at(-1) ?? ""}/messages`, { content: "second" });
  await expect(ana.said("second")).toBeVisible();
  await expect(item("Create channel")).toBeFocused();
  await keyboard.press("Escape");
  await expect(page.getByRole("menu")).toHaveCount(0);
  await expect(opener).toBeFocused();

  // The emoji picker of the composer: type, go down, choose, and write on.
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
  await ana.said("first").getByRole("button", { name: ana.name }).click();
  const card = page.getByRole("dialog", { name: ana.name });
  await expect(card.getByRole("button")).toBeFocused();
  const edge = await page.locator("main").boundingBox();
  expect((await card.boundingBox())?.x).toBeGreaterThan(edge?.x ?? Infinity);
});

test("a dialog keeps typed text until it is discarded on purpose", async ({ newcomer, community }) => {
  const ana = await newcomer("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  const { page } = ana;
  const { keyboard, mouse } = page;
  await page.getByRole("button", { name: "Create channel" }).click();
  const name = page.getByLabel("Name");
  await name.fill("recipes");

  // A selection that is dragged outside.
  const box = await name.boundingBox();
  if (box === null) throw new Error("no field");
  await mouse.move(box.x + 60, box.y + box.height / 2);
  await mouse.down();
  await mouse.move(5, box.y, { steps: 4 });
  await mouse.up();
  await expect(name).toHaveValue("recipes");
  await expect(page.getByRole("alertdialog")).toHaveCount(0);

  // Escape asks; Escape again, or the button, goes on editing.
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

  // Nothing typed, nothing asked.
  await page.getByRole("button", { name: "Create channel" }).click();
  await keyboard.press("Escape");
  await expect(name).toHaveCount(0);
});
