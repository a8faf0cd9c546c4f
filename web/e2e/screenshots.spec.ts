// Screenshots of every screen of the demo, written to e2e-artefacts. With SOBREMESA_PICTURE=1 one of them becomes the
// picture of the README.
import type { Browser, Page } from "@playwright/test";
import type { ChildProcess } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { terminate, expect, launch, test as base } from "./fixtures";

const PICTURES = "e2e-artefacts";
const README_PICTURE = "../docs/web-client.png";
const README_PICTURE_BYTES = 250_000;
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 360, height: 740 };

const test = base.extend<object, { demo: string }>({
  demo: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), "sobremesa-demo-"));
      let address = "";
      let child: ChildProcess | null = null;
      try {
        child = await launch(
          ["demo", "--port", "0", "--store", `sqlite:///${folder}/demo.db`],
          { SOBREMESA_RATE_LIMITS: "off" },
          (output) => {
            address = /running at (\S+)/.exec(output)?.[1] ?? "";
            return address !== "" && output.includes("--fresh");
          },
        );
        await use(address);
      } finally {
        if (child !== null) await terminate(child);
        rmSync(folder, { recursive: true, force: true });
      }
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

async function signedIn(
  browser: Browser,
  demo: string,
  options: Parameters<Browser["newContext"]>[0],
  who = "Ana Ruiz",
): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  await page.goto(demo);
  await page.getByRole("region", { name: "Demo users" }).getByRole("button", { name: who }).click();
  await expect(page.getByRole("heading", { name: "Home" })).toBeVisible();
  return page;
}

/** Wait until skeletons are gone, and pictures and fonts have loaded. */
async function calm(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForLoadState("networkidle");
  await expect(page.locator(".skeleton:visible")).toHaveCount(0);
  await page.waitForFunction(() =>
    [...document.images].every((image) => image.complete && image.naturalWidth > 0),
  );
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

async function follow(page: Page, where: string, name: string | RegExp): Promise<void> {
  await page.getByRole("navigation", { name: where }).getByRole("link", { name }).first().click();
}

/** How to open each screen. */
const SCREENS: Record<string, (page: Page) => Promise<void>> = {
  home: async (page) => await expect(page.getByRole("heading", { name: "Recent" })).toBeVisible(),
  channel: async (page) => {
    await follow(page, "Communities", /^La Mesa Larga/);
    await follow(page, "Channels", /^general/);
    await expect(page.getByRole("textbox", { name: /^Message / })).toBeVisible();
  },
  conversation: async (page) => {
    await follow(page, "Communities", /^Conversations/);
    await follow(page, "Conversations", /Marta Salas/);
    await expect(page.getByRole("textbox", { name: /^Message / })).toBeVisible();
  },
  thread: async (page) => {
    await follow(page, "Communities", /^Threads/);
    await follow(page, "Threads", /^Noor Haddad.*Project/);
    await expect(page.getByRole("tab", { name: "Shotlist" })).toBeVisible();
    await page.getByRole("tab", { name: "Shotlist" }).click();
  },
  inbox: async (page) => {
    await follow(page, "Communities", /^Inbox/);
    await expect(page.locator(".inbox-head").first()).toBeVisible();
  },
  workspace: async (page) => {
    await follow(page, "Communities", /^Workspaces/);
    await follow(page, "Workspaces", /Winter menu/);
    await expect(page.getByRole("region", { name: "Board" })).toBeVisible();
  },
  settings: async (page) => {
    await page.goto(new URL("/settings/profile", page.url()).href);
    await expect(page.locator(".settings")).toBeVisible();
  },
};

for (const colorScheme of ["light", "dark"] as const)
  test(`every screen of the demo has a screenshot, in ${colorScheme}`, async ({ browser, demo }) => {
    test.setTimeout(90_000);
    mkdirSync(PICTURES, { recursive: true });
    const page = await signedIn(browser, demo, { colorScheme, viewport: WIDE });
    for (const [name, go] of Object.entries(SCREENS)) {
      await go(page);
      await calm(page);
      await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` });
    }
    await page.context().close();
    if (process.env["SOBREMESA_PICTURE"] === "1" && colorScheme === "light") {
      copyFileSync(`${PICTURES}/thread-light.png`, README_PICTURE);
      expect(statSync(README_PICTURE).size).toBeLessThan(README_PICTURE_BYTES);
    }
  });

test("the administrator of the demo decides the open case", async ({ browser, demo }) => {
  mkdirSync(PICTURES, { recursive: true });
  const outside = await browser.newPage({ colorScheme: "dark", viewport: WIDE });
  await outside.goto(demo);
  await expect(outside.getByRole("button", { name: /Carmen Ortiz/ })).toBeVisible();
  await outside.screenshot({ path: `${PICTURES}/sign-in-dark.png` });
  await outside.close();

  const page = await signedIn(browser, demo, { viewport: WIDE }, "Carmen Ortiz");
  await follow(page, "Communities", "Moderation");
  const review = page.getByRole("article", { name: /^Case about/ });
  await expect(review).toContainText("Reported by");
  await calm(page);
  await page.screenshot({ path: `${PICTURES}/admin-light.png` });
  await review.getByLabel("Note (optional)").fill("An advertisement.");
  await review.getByRole("button", { name: "Block" }).click();
  await expect(page.getByText("No open cases.")).toBeVisible();
  await page.getByRole("link", { name: "Decided cases" }).click();
  await expect(review.filter({ hasText: "An advertisement." })).toContainText("Blocked");
  await page.context().close();

  // Other users have no access.
  const ana = await signedIn(browser, demo, { viewport: WIDE });
  await expect(ana.getByRole("link", { name: "Moderation" })).toHaveCount(0);
  await ana.goto(new URL("/admin", demo).href);
  await expect(ana.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await ana.context().close();
});

test("rooms and the inbox have a screenshot on a phone", async ({ browser, demo }) => {
  test.setTimeout(90_000);
  mkdirSync(PICTURES, { recursive: true });
  // Navigate on a wide screen, where the sidebars are visible.
  const page = await signedIn(browser, demo, { viewport: WIDE });
  for (const name of ["channel", "thread", "inbox"]) {
    await page.setViewportSize(WIDE);
    await SCREENS[name]?.(page);
    await page.setViewportSize(NARROW);
    await page.reload();
    await expect(page.locator("main")).toBeVisible();
    await calm(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(NARROW.width);
    await page.screenshot({ path: `${PICTURES}/${name}-narrow.png` });
  }
  await page.context().close();
});
