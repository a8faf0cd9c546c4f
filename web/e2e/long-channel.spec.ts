// A channel with very many messages: 5,000 every day, 100,000 with SOBREMESA_LONG_CHANNEL=100000.
import type { CDPSession, Page } from "@playwright/test";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { COMMAND, expect, Server, test as base } from "./world";

const HOW_MANY = Number(process.env["SOBREMESA_LONG_CHANNEL"] ?? 5000);
const PAGES = 400;
const WHEEL = -2000;
const MOST_NODES = 4000;
const LONG_MS = 50;
/** Of so many turns of the wheel one may be slower: others use the machine, too. */
const SLOW_ONE_IN = 50;
/** What may come and go between two looks at the heap, such as compiled code. */
const NOISE_BYTES = 500_000;

interface Filled {
  serverId: string;
  channelId: string;
  code: string;
}

const test = base.extend<object, { filled: { server: Server; place: Filled }; server: Server }>({
  filled: [
    async ({}, use) => {
      let place: Filled | null = null;
      const prepare = (store: string) => {
        const python = join(dirname(COMMAND), "python");
        const words = ["e2e/fill_channel.py", store, String(HOW_MANY)];
        place = JSON.parse(execFileSync(python, words, { encoding: "utf8" })) as Filled;
      };
      const server = await Server.start({ prepare });
      if (place === null) throw new Error("nothing was filled");
      await use({ server, place });
      await server.end();
    },
    { scope: "worker", timeout: 300_000 },
  ],
  server: [async ({ filled }, use) => await use(filled.server), { scope: "worker" }],
});

// A trace takes a picture of the whole page at each step, inside of it: that would be measured, too.
test.use({ trace: "off" });

/** Begin to write down what keeps the page from answering; the answer tells what was written, and forgets it. */
async function watchTasks(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const found: number[] = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) found.push(entry.duration);
    }).observe({ type: "longtask" });
    Object.assign(window, { longTasks: found });
  });
  return async () =>
    await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0));
}

async function heap(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  return (await session.send("Runtime.getHeapUsage")).usedSize;
}

/** How long the page has used a processor, whoever else waits for one. */
async function processorSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((each) => each.name === "TaskDuration")?.value ?? 0;
}

test(`${HOW_MANY} messages are read on and on, and the page stays small and quick`, async ({
  newcomer,
  filled,
}) => {
  test.setTimeout(300_000);
  const { serverId, channelId, code } = filled.place;
  const ana = await newcomer("ana");
  await ana.api("POST", `/invites/${code}/redeem`);
  const { page } = ana;
  let pages = 0;
  page.on("response", (response) => {
    if (response.url().includes("before=")) pages++;
  });
  await ana.goTo(`/c/${serverId}/${channelId}`);
  const list = page.getByRole("log");
  await expect(list.locator("[data-message]").last()).toBeInViewport();
  await page.waitForLoadState("networkidle");

  const session = await ana.context.newCDPSession(page);
  const longTasks = await watchTasks(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = await processorSeconds(session);
  await list.hover();
  const wanted = Math.min(PAGES, Math.floor(HOW_MANY / 50) - 10);
  const heaps: number[] = [];
  const slow: number[] = [];
  let nodes = 0;
  let steps = 0;
  while (pages < wanted) {
    await page.mouse.wheel(0, WHEEL);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    if (++steps % 20 === 0)
      nodes = Math.max(nodes, await page.evaluate(() => document.getElementsByTagName("*").length));
    if (pages >= ((heaps.length + 1) * wanted) / 3 && heaps.length < 2) {
      slow.push(...(await longTasks()));
      heaps.push(await heap(session));
      await longTasks(); // the collection itself is ours
    }
  }
  slow.push(...(await longTasks()));
  const stepMs = ((await processorSeconds(session)) - busy) * (1000 / steps);
  heaps.push(await heap(session));

  // To the first message, by its day, and on from there; then back to the newest.
  await page.getByRole("button", { name: "Go to a day" }).click();
  const first = await ana.api<{ items: { createdAt: string }[] }>(
    "GET",
    `/channels/${channelId}/messages?after=00000000000000000000000000&limit=1`,
  );
  const at = new Date(first.items[0]?.createdAt ?? "");
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()];
  await page
    .getByLabel("Day", { exact: true })
    .fill(day.map((each) => String(each).padStart(2, "0")).join("-"));
  await page.getByRole("button", { name: "Go", exact: true }).click();
  await expect(ana.said("number 0.")).toBeInViewport();
  await list.hover();
  for (let step = 0; step < 30; step++) {
    await page.mouse.wheel(0, -WHEEL);
    await page.waitForTimeout(30);
  }
  await expect(list.locator("[data-message]").first()).toBeAttached();
  const back = Date.now();
  await page.getByRole("button", { name: "Newest messages" }).click();
  await expect(page.getByRole("button", { name: "Newest messages" })).toHaveCount(0);
  const took = Date.now() - back;
  await ana.say("the last word");
  await expect(ana.said("the last word")).toBeInViewport();

  const figures = { HOW_MANY, pages, steps, nodes, heaps, slow: slow.map(Math.round), stepMs, took };
  console.log(JSON.stringify(figures));
  expect(nodes).toBeLessThan(MOST_NODES);
  expect((heaps[2] ?? Infinity) - (heaps[1] ?? 0)).toBeLessThan(NOISE_BYTES);
  expect(slow.filter((each) => each > LONG_MS).length).toBeLessThan(steps / SLOW_ONE_IN);
});
