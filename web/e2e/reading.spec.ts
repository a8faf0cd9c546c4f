import { rendered, expect, middle, test, wheel, type TestUser, type TestCommunity } from "./fixtures";

async function fill({ channelId }: TestCommunity, person: TestUser, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const content = `number ${number} ` + "and on and on ".repeat(number % 9);
    const message = await person.api<{ messageId: string }>("POST", `/channels/${channelId}/messages`, {
      content,
    });
    ids.push(message.messageId);
  }
  return ids;
}

test("older messages load on scrolling up, and the visible ones stay in place", async ({
  newUser,
  community,
}) => {
  const ana = await newUser("ana");
  const place = await community(ana);
  await fill(place, ana, 170);
  await ana.goTo(place.path);
  await expect(ana.message("number 169 ")).toBeVisible();
  const list = ana.page.getByRole("log");
  let jumps = 0;
  for (let step = 0; step < 60; step++) {
    // A row in the middle of the view must move exactly with the wheel, whatever loads above it.
    const before = await middle(list);
    await list.hover();
    await wheel(list, -300);
    const after = await list.locator(`[data-message="${before.id}"]`).boundingBox();
    const moved = after === null ? Infinity : after.y - before.y;
    if (moved < -20 || moved > 340) jumps++;
    if (await ana.page.getByRole("heading", { name: "#general" }).isVisible()) break;
  }
  await expect(ana.message("number 0 ")).toBeVisible();
  expect(jumps).toBe(0);
  // Only some of them are rendered.
  expect(await ana.page.locator("[data-message]").count()).toBeLessThan(80);
  await ana.page.getByRole("button", { name: "Newest messages" }).click();
  await expect(ana.message("number 169 ")).toBeInViewport();
});

test("a long scroll always lands on messages", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const place = await community(ana);
  await fill(place, ana, 170);
  await ana.goTo(place.path);
  await expect(ana.message("number 169 ")).toBeVisible();
  const list = ana.page.getByRole("log");
  await list.hover();
  for (const leap of [-3000, -2500, -6000, 3500, -20_000, 9000, -4000]) {
    await wheel(list, leap);
    await expect.poll(async () => (await middle(list)).id, { message: `after ${leap}` }).not.toBe("");
    await expect.poll(async () => (await middle(list)).y, { message: `after ${leap}` }).toBeLessThan(700);
  }
});

test("at the top, older messages load above the visible ones", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const place = await community(ana);
  for (let number = 0; number < 120; number++)
    await ana.api("POST", `/channels/${place.channelId}/messages`, {
      content: `tall ${number}.\n\n\n\n\nend`,
    });
  await ana.goTo(place.path);
  await expect(ana.message("tall 119.")).toBeVisible();
  // Scroll to the oldest loaded message at once, while the server responds slowly.
  await ana.page.route("**/messages?*before=*", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });
  const list = ana.page.getByRole("log");
  await list.evaluate((element) => element.scrollTo(0, 0));
  await expect(ana.message("tall 70.")).toBeInViewport();
  await expect(ana.message("tall 69.")).toBeAttached();
  await rendered(ana.page);
  await expect(ana.message("tall 70.")).toBeInViewport({ timeout: 100 });
});

test("a scroll is kept when the list is rendered before the browser reports it", async ({
  newUser,
  community,
}) => {
  const ana = await newUser("ana");
  const place = await community(ana);
  await fill(place, ana, 40);
  await ana.goTo(place.path);
  await expect(ana.message("number 39 ")).toBeVisible();
  const list = ana.page.getByRole("log");
  for (const to of [0, 300, 0]) {
    // The focus of a message renders the list in the same task, so before the event of the scroll.
    const reached = await list.evaluate((element, top) => {
      const stop = element.querySelector<HTMLElement>("[data-message][tabindex], [data-message] [tabindex]");
      if (document.activeElement === stop) (document.activeElement as HTMLElement).blur();
      element.scrollTo(0, top);
      stop?.focus({ preventScroll: true });
      return element.scrollTop;
    }, to);
    expect(Math.abs(reached - to)).toBeLessThan(2);
    await rendered(ana.page);
    expect(Math.abs((await list.evaluate((element) => element.scrollTop)) - to)).toBeLessThan(2);
    await expect.poll(async () => (await middle(list)).id).not.toBe("");
  }
  await expect(ana.message("number 0 ")).toBeInViewport();
});

test("a link opens its message, with older and newer ones around it", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const place = await community(ana);
  const ids = await fill(place, ana, 160);
  await ana.goTo(`${place.path}/${ids[40] ?? ""}`);
  await expect(ana.message("number 40 ")).toBeInViewport();
  await expect(ana.message("number 159 ")).toHaveCount(0);
  const list = ana.page.getByRole("log");
  await list.hover();
  const present = ana.page.getByRole("button", { name: "Newest messages" });
  for (let step = 0; step < 80 && (await present.isVisible()); step++) {
    await wheel(list, 900);
  }
  await expect(ana.message("number 159 ")).toBeInViewport();
  await ana.send("and the newest");
  await expect(ana.message("and the newest")).toBeInViewport();
});

test("a new message does not move the messages in view", async ({ newUser, community }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const place = await community(ana, ben);
  await fill(place, ana, 60);
  await ana.goTo(place.path);
  await expect(ana.message("number 59 ")).toBeVisible();
  const list = ana.page.getByRole("log");
  await list.hover();
  await wheel(list, -700);
  const before = await middle(list);
  await ben.api("POST", `/channels/${place.channelId}/messages`, { content: "from below" });
  await expect(ana.message("from below")).toBeAttached();
  await rendered(ana.page);
  expect((await list.locator(`[data-message="${before.id}"]`).boundingBox())?.y).toBeCloseTo(before.y, 0);
});

test("a date can be jumped to", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const place = await community(ana);
  await fill(place, ana, 120);
  await ana.goTo(place.path);
  await expect(ana.message("number 119 ")).toBeVisible();
  await ana.page.getByRole("button", { name: "Jump to date" }).click();
  const now = new Date();
  const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((each) =>
    String(each).padStart(2, "0"),
  );
  await ana.page.getByLabel("Date", { exact: true }).fill(day.join("-"));
  await ana.page.getByRole("button", { name: "Jump", exact: true }).click();
  await expect(ana.message("number 0 ")).toBeInViewport();
});
