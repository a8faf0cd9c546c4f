import { deal, expect, test, type Person } from "./world";

const OUT = "/tmp/web2-shots";

test("shots", async ({ newcomer, server }) => {
  test.setTimeout(240_000);
  const bo = await newcomer("bo_photos");
  const looks = {
    light: { colorScheme: "light" as const },
    dark: { colorScheme: "dark" as const },
    narrow: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  };
  const ana = await newcomer("ana", looks.light);
  const threadId = await deal(ana, bo);
  await deal(bo, ana, "inquiry");
  const t = `/threads/${threadId}`;
  await bo.api("POST", `${t}/messages`, {
    content: "Hello! The loft is free on Friday. I can bring **two lights**.",
  });
  await ana.api("POST", `${t}/messages`, { content: "Lovely, here is what I had in mind." });
  const offer = await ana.api<{ messageId: string }>("POST", `${t}/cards`, {
    type: "offer",
    payload: {
      amount: 125050,
      currency: "EUR",
      note: "Two days, prints included",
      expiresAt: "2027-01-01T10:00:00Z",
    },
  });
  await bo.api("POST", `${t}/cards`, {
    type: "counter-offer",
    payload: { amount: 140000, currency: "EUR", answers: offer.messageId, note: "With an assistant" },
  });
  await bo.api("POST", `${t}/cards`, {
    type: "booking",
    payload: { startsAt: "2026-12-01T09:00:00Z", endsAt: "2026-12-01T17:00:00Z", place: "Harbour loft" },
  });
  const del = await bo.api<{ messageId: string }>("POST", `${t}/cards`, {
    type: "delivery",
    payload: { title: "First selection", note: "Forty frames" },
  });
  await ana.api("POST", `${t}/cards/${del.messageId}/transitions`, {
    to: "revision-requested",
    version: 1,
    payload: { note: "A bit warmer please" },
  });
  await bo.api("POST", `${t}/cards`, {
    type: "payment-request",
    payload: { amount: 50000, currency: "EUR", note: "Half up front" },
  });
  const am = await bo.api<{ messageId: string }>("POST", `${t}/cards`, {
    type: "amendment",
    payload: { title: "One more hour", text: "We stay until six in the evening." },
  });
  await ana.api("POST", `${t}/cards/${am.messageId}/transitions`, { to: "accepted", version: 1 });
  await ana.api("PUT", `${t}/tabs/brief`, {
    content: { text: "# Harbour loft\nWarm light, **few props**.\n- kitchen\n- balcony" },
    sourceVersion: 1,
  });
  await ana.api("PUT", `${t}/tabs/shotlist`, {
    content: {
      shots: [
        { title: "The kitchen", done: true },
        { title: "Balcony at dusk" },
        { title: "Hands and bread" },
      ],
    },
    sourceVersion: 1,
  });
  await ana.api("PUT", `${t}/tabs/moodboard`, {
    content: { entries: [{ text: "terracotta, linen" }, { text: "late light" }, { text: "bread" }] },
    sourceVersion: 1,
  });
  await bo.api("POST", `${t}/expenses`, {
    title: "Train",
    amount: 4590,
    currency: "EUR",
    category: "travel",
    incurredOn: "2026-11-10",
  });
  await ana.api("POST", `${t}/expenses`, {
    title: "Flowers",
    amount: 2200,
    currency: "EUR",
    category: "props",
    incurredOn: "2026-11-12",
  });
  await bo.api("POST", `${t}/documents`, {
    title: "Licence for the brochure",
    kind: "license",
    body: "# Licence\nThe pictures may be printed in the brochure of 2027.",
  });
  for (let n = 0; n < 7; n++)
    await server.publish("main", {
      title: [
        "Your parcel is on its way",
        "New lamps",
        "We moved",
        "A word about winter",
        "Sale",
        "Your invoice",
        "Hello",
      ][n],
      body: "It left Lisboa this morning and should be with you by Thursday, before noon if the trains run.",
      category: ["orders", "offers", "news", "news", "offers", "orders", "news"][n],
      ctaUri: "https://example.org/parcel",
    });
  const w = (await ana.api<{ workspaceId: string }>("POST", "/workspaces", { name: "The kitchen" }))
    .workspaceId;
  const { code } = await ana.api<{ code: string }>("POST", `/workspaces/${w}/invites`, {});
  await bo.api("POST", `/invites/${code}/redeem`);
  for (const [title, status, data] of [
    ["Buy coffee", "open", { amount: 2, shop: "Rossio" }],
    ["Fix the tap under the long sink before somebody slips", "open", {}],
    ["Order lamps", "doing", { by: "Friday" }],
    ["Paint the wall", "done", {}],
  ] as const)
    await ana.api("POST", `/workspaces/${w}/items`, { title, status, data });
  await ana.api("PUT", `/workspaces/${w}/settings/colour`, { value: { wall: "linen", door: "wine" } });
  await ana.api("PUT", `/workspaces/${w}/settings/open`, { value: true });

  const state = await ana.context.storageState();
  void state;
  const shoot = async (person: Person, look: string, name: string) => {
    await person.page.waitForTimeout(350);
    await person.page.screenshot({ path: `${OUT}/${name}-${look}.png` });
    if (await person.page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
      console.log("WIDE", name, look);
  };
  const { page } = ana;
  page.on("console", (m) => m.type() === "error" && console.log("CONSOLE", m.text()));
  page.on("pageerror", (e) => console.log("ERROR", e.message));
  for (const look of ["light", "dark", "narrow"] as const) {
    if (process.env["LOOKS"] !== undefined && !process.env["LOOKS"].includes(look)) continue;
    await page.setViewportSize(
      look === "narrow" ? { width: 360, height: 740 } : { width: 1280, height: 800 },
    );
    await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light" });
    await ana.goTo("/");
    await shoot(ana, look, "home");
    await ana.goTo(`/t/${threadId}`);
    await expect(page.locator("[data-message]").last()).toBeVisible();
    await shoot(ana, look, "thread");
    if (look === "narrow") {
      await page.getByRole("button", { name: "Open the list" }).click();
      await page.waitForTimeout(300);
      await shoot(ana, look, "drawer");
      await page.mouse.click(350, 400);
      await page.waitForTimeout(300);
      await page.getByRole("button", { name: "Project" }).click();
    }
    for (const tab of ["Brief", "Moodboard", "Shotlist", "Documents", "Expenses", "Actions"]) {
      await page.getByRole("tab", { name: tab }).click();
      await shoot(ana, look, `tab-${tab.toLowerCase()}`);
    }
    await page.getByRole("button", { name: "Close project" }).click();
    await page.locator(".row-list").evaluate((e) => (e.scrollTop = 300));
    await shoot(ana, look, "thread-mid");
    await page.locator(".row-list").evaluate((e) => (e.scrollTop = 0));
    await page.waitForTimeout(200);
    await shoot(ana, look, "thread-top");
    await page.getByRole("button", { name: "Make a card" }).click();
    await shoot(ana, look, "card-menu");
    await page.getByRole("menuitem", { name: "Offer" }).click();
    await shoot(ana, look, "card-form");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "People", exact: true }).click();
    await shoot(ana, look, "seats");
    await ana.goTo("/inbox/main");
    await page.getByRole("button", { name: /Your parcel/ }).click();
    await shoot(ana, look, "inbox");
    await ana.goTo(`/w/${w}`);
    await expect(page.getByText("Buy coffee")).toBeVisible();
    await shoot(ana, look, "board");
    await page.getByRole("button", { name: "Buy coffee", exact: true }).click();
    await shoot(ana, look, "item");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "List", exact: true }).click();
    await shoot(ana, look, "list");
    await page.getByRole("button", { name: "Board", exact: true }).click();
    await ana.goTo(`/w/${w}/people`);
    await expect(page.getByText("bo_photos")).toBeVisible();
    await shoot(ana, look, "members");
    await ana.goTo(`/w/${w}/settings`);
    await expect(page.getByText("colour")).toBeVisible();
    await shoot(ana, look, "wsettings");
  }
});
