// A real server on a store of its own, and people who use it in real browsers.
import { test as base, expect, type BrowserContext, type Locator, type Page } from "@playwright/test";
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const COMMAND = process.env["SOBREMESA_COMMAND"] ?? "../.venv/bin/sobremesa";

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** `sobremesa` with these words, once it has said what it is expected to say. */
export async function launched(
  words: readonly string[],
  environment: Record<string, string>,
  isReady: (said: string) => boolean,
): Promise<ChildProcess> {
  const child = spawn(COMMAND, words, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (data: Buffer) => {
      said += data.toString();
      if (isReady(said)) resolve();
    });
    child.once("exit", () => reject(new Error(`it ended: ${said}`)));
  });
  return child;
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exit;
}

interface ServerOptions {
  /** Where it keeps everything; a file of its own unless told. */
  store?: string;
  environment?: Record<string, string>;
  /** Runs before the server, with its store. */
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

  /** Publish a notice as a product's own server does, by a key. */
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
    const environment = { SOBREMESA_RATE_LIMITS: "off", ...this.options.environment };
    this.process = await launched(
      ["serve", "--store", this.store, "--port", String(this.port)],
      environment,
      (said) => said.includes(this.url),
    );
  }

  async stop(): Promise<void> {
    const child = this.process;
    this.process = null;
    if (child !== null) await ended(child);
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

/** Somebody with an account, and a browser of their own. */
export class Person {
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

  /** Ask the API as this person, beside the browser. */
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

  async say(text: string): Promise<void> {
    await this.box.fill(text);
    await this.box.press("Enter");
  }

  /** The message that says this. */
  said(text: string) {
    return this.page.locator("[data-message]").filter({ hasText: text });
  }
}

/** A message in the middle of what is in sight, and where it stands. */
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

/** Turn the wheel over a list, and wait until it has moved, or cannot, and is drawn. */
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
  await drawn(list.page());
}

/** Two frames: what was changed is drawn, and what followed from it. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/** A thread of a buyer with a seller. */
export async function deal(
  buyer: Person,
  seller: Person,
  kind: "inquiry" | "project" = "project",
): Promise<string> {
  const wanted = { kind, sellerUserId: seller.id, listingId: "Harbour loft", city: "Lisboa" };
  return (await buyer.api<{ threadId: string }>("POST", "/threads", wanted)).threadId;
}

export interface Place {
  serverId: string;
  channelId: string;
  path: string;
}

interface World {
  newcomer: (
    name: string,
    options?: Parameters<import("@playwright/test").Browser["newContext"]>[0],
  ) => Promise<Person>;
  /** A community of the first, where the others are, with a channel `general`. */
  community: (owner: Person, ...others: Person[]) => Promise<Place>;
}

let count = 0;

export const test = base.extend<World, { server: Server }>({
  server: [
    async ({}, use) => {
      const server = await Server.start();
      await use(server);
      await server.end();
    },
    { scope: "worker" },
  ],

  newcomer: async ({ browser, server }, use) => {
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
      return new Person(server, session, await context.newPage());
    });
    for (const context of contexts) await context.close();
  },

  community: async ({}, use) => {
    await use(async (owner, ...others) => {
      const { serverId } = await owner.api<{ serverId: string }>("POST", "/servers", {
        name: "The long table",
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
