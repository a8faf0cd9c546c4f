// Fixtures: a real server on its own store, and users with real browsers.
import { test as base, expect, type BrowserContext, type Locator, type Page } from "@playwright/test";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Settings for passwords that cost next to nothing to hash. */
const CHEAP = {
  SOBREMESA_ARGON2_MEMORY_KIB: "8",
  SOBREMESA_ARGON2_TIME_COST: "1",
  SOBREMESA_INSECURE_PASSWORDS: "true",
};

export const COMMAND = process.env["SOBREMESA_COMMAND"] ?? "../.venv/bin/sobremesa";

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** Start `sobremesa` with these arguments, and wait until its output is as expected. */
export async function launch(
  words: readonly string[],
  environment: Record<string, string>,
  isReady: (output: string) => boolean,
): Promise<ChildProcess> {
  const child = spawn(COMMAND, words, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (data: Buffer) => {
      output += data.toString();
      if (isReady(output)) resolve();
    });
    child.once("exit", () => reject(new Error(`sobremesa ended: ${output}`)));
  });
  return child;
}

export async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exit;
}

interface ServerOptions {
  /** The URL of the store; a new SQLite file by default. */
  store?: string;
  environment?: Record<string, string>;
  /** Runs before the server starts, with its store. */
  prepare?: (store: string) => Promise<void> | void;
}

export class Server {
  readonly url: string;
  private readonly port: number;
  private readonly options: ServerOptions;
  private readonly directory = mkdtempSync(join(tmpdir(), "sobremesa-e2e-"));
  private process: ChildProcess | null = null;
  private key: string | undefined;

  private constructor(port: number, options: ServerOptions) {
    this.port = port;
    this.options = options;
    this.url = `http://127.0.0.1:${port}`;
  }

  private get store(): string {
    return this.options.store ?? `sqlite:///${this.directory}/chat.db`;
  }

  /** Publish a notification with a server key. */
  async publish(inbox: string, notice: Record<string, unknown>): Promise<void> {
    this.key ??= execFileSync(
      COMMAND,
      ["keys", "create", "--tenant", "default", "--scope", "inbox:publish", "--store", this.store],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    )
      .trim()
      .split("\n")
      .at(-1);
    const answer = await fetch(`${this.url}/v1/tenants/default/inboxes/${inbox}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.key ?? ""}`, "content-type": "application/json" },
      body: JSON.stringify({ audience: { kind: "everyone" }, sender: "shop", body: "", ...notice }),
    });
    if (!answer.ok) throw new Error(`publish: ${answer.status} ${await answer.text()}`);
  }

  static async start(options: ServerOptions = {}): Promise<Server> {
    const server = new Server(await freePort(), options);
    await options.prepare?.(server.store);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const environment = { ...CHEAP, SOBREMESA_RATE_LIMITS: "off", ...this.options.environment };
    this.process = await launch(
      ["serve", "--store", this.store, "--port", String(this.port)],
      environment,
      (output) => output.includes(this.url),
    );
  }

  async stop(): Promise<void> {
    const child = this.process;
    this.process = null;
    if (child !== null) await terminate(child);
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

interface Session {
  user: { userId: string; username: string };
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
}

/** A user with an account and their own browser. */
export class TestUser {
  readonly name: string;
  readonly id: string;
  readonly page: Page;
  private readonly server: Server;
  private readonly session: Session;

  constructor(server: Server, session: Session, page: Page) {
    this.server = server;
    this.session = session;
    this.name = session.user.username;
    this.id = session.user.userId;
    this.page = page;
  }

  get context(): BrowserContext {
    return this.page.context();
  }

  /** Call the API as this user, outside the browser. */
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.server.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.session.accessToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const text = await answer.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(this.server.url + path);
  }

  get box() {
    return this.page.getByRole("textbox", { name: /^Message / });
  }

  async send(text: string): Promise<void> {
    await this.box.fill(text);
    await this.box.press("Enter");
  }

  /** The message with this text. */
  message(text: string) {
    return this.page.locator("[data-message]").filter({ hasText: text });
  }
}

/** A message in the middle of the view, and its position. */
export async function middle(list: Locator): Promise<{ id: string; y: number }> {
  return await list.evaluate((element) => {
    const frame = element.getBoundingClientRect();
    for (const message of element.querySelectorAll<HTMLElement>("[data-message]")) {
      const box = message.getBoundingClientRect();
      if (box.top > frame.top + frame.height / 3 && box.top < frame.bottom)
        return { id: message.dataset["message"] ?? "", y: box.top };
    }
    return { id: "", y: 0 };
  });
}

/** Scroll a list with the wheel, and wait until it has moved, or cannot, and is rendered. */
export async function wheel(list: Locator, by: number): Promise<void> {
  const before = await list.evaluate((element) => element.scrollTop);
  await list.page().mouse.wheel(0, by);
  await expect
    .poll(
      () =>
        list.evaluate(
          (element, [from, step]) => {
            const below = element.scrollHeight - element.clientHeight - element.scrollTop;
            return element.scrollTop !== from || (step < 0 ? element.scrollTop <= 0 : below <= 1);
          },
          [before, by] as const,
        ),
      { intervals: [0, 10, 20, 50] },
    )
    .toBe(true);
  await rendered(list.page());
}

/** Wait for two frames, so that changes and their effects are rendered. */
export async function rendered(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** Create a thread of a buyer with a seller. */
export async function createThread(
  buyer: TestUser,
  seller: TestUser,
  kind: "inquiry" | "project" = "project",
): Promise<string> {
  const wanted = { kind, sellerUserId: seller.id, listingId: "Harbour loft", city: "Lisboa" };
  return (await buyer.api<{ threadId: string }>("POST", "/threads", wanted)).threadId;
}

export interface TestCommunity {
  serverId: string;
  channelId: string;
  path: string;
}

interface Fixtures {
  newUser: (
    name: string,
    options?: Parameters<import("@playwright/test").Browser["newContext"]>[0],
  ) => Promise<TestUser>;
  /** Create a community with a channel `general` and these members. */
  community: (owner: TestUser, ...others: TestUser[]) => Promise<TestCommunity>;
}

let count = 0;

export const test = base.extend<Fixtures, { server: Server }>({
  server: [
    async ({}, use) => {
      const server = await Server.start();
      await use(server);
      await server.end();
    },
    { scope: "worker", timeout: 120_000 },
  ],

  newUser: async ({ browser, server }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (name, options) => {
      const unique = `${name}${++count}`;
      const answer = await fetch(`${server.url}/v1/auth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: `${unique}@example.org`, username: unique, password: "correct horse" }),
      });
      const session = (await answer.json()) as Session;
      const context = await browser.newContext({ ...options });
      contexts.push(context);
      const kept = { ...session, expiresAt: Date.now() + session.expiresIn * 1000 };
      await context.addInitScript((text) => {
        if (localStorage.getItem("sobremesa.session") === null && sessionStorage.getItem("seeded") === null)
          localStorage.setItem("sobremesa.session", text);
        sessionStorage.setItem("seeded", "yes");
      }, JSON.stringify(kept));
      return new TestUser(server, session, await context.newPage());
    });
    for (const context of contexts) await context.close();
  },

  community: async ({}, use) => {
    await use(async (owner, ...others) => {
      const { serverId } = await owner.api<{ serverId: string }>("POST", "/servers", {
        name: "Test community",
      });
      const { channelId } = await owner.api<{ channelId: string }>("POST", `/servers/${serverId}/channels`, {
        name: "general",
      });
      const { code } = await owner.api<{ code: string }>("POST", `/servers/${serverId}/invites`, {});
      for (const other of others) await other.api("POST", `/invites/${code}/redeem`);
      return { serverId, channelId, path: `/c/${serverId}/${channelId}` };
    });
  },
});

export { expect };
