// The client on a server with the DynamoDB engine.
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { terminate, expect, freePort, Server, test as base } from "./fixtures";

const DYNOXIDE = "../tests/servers/node_modules/@dynoxide/linux-x64/dynoxide";

async function answers(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

const test = base.extend<object, { server: Server }>({
  server: [
    async ({}, use) => {
      const port = await freePort();
      const database = spawn(DYNOXIDE, ["--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
      try {
        await expect.poll(() => answers(port)).toBe(true);
        const server = await Server.start({
          store: `dynamodb://web?region=eu-west-1&endpoint=http://127.0.0.1:${port}`,
          environment: { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" },
        });
        await use(server);
        await server.end();
      } finally {
        await terminate(database);
      }
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

test("on DynamoDB a user registers, signs out and signs in", async ({ browser, server }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/register`);
  await page.getByLabel("Email").fill("eva@example.org");
  await page.getByLabel("Username").fill("eva");
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByRole("heading", { name: "Home" })).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Email").fill("eva@example.org");
  await page.getByLabel("Password").fill("correct horse");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Home" })).toBeVisible();
  await context.close();
});

test("on DynamoDB two users send messages, and other channels are counted", async ({
  newUser,
  community,
}) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { serverId, path } = await community(ana, ben);
  await ana.api("POST", `/servers/${serverId}/channels`, { name: "menu" });
  await ana.goTo(path);
  await ben.goTo(path);
  await ana.send("Is anyone online?");
  await expect(ben.message("Is anyone online?")).toBeVisible();
  await ben.send("I am.");
  await expect(ana.message("I am.")).toBeVisible();
  await expect(ben.page.locator(".message-sending")).toHaveCount(0);

  await ben.page.getByRole("link", { name: "menu" }).click();
  await ben.send("soup");
  const link = ana.page.getByRole("navigation", { name: /^Channels/ }).getByRole("link", { name: "menu" });
  await expect(link).toContainText("1 unread");
  await ben.send(`@${ana.name} soup?`);
  await expect(link).toContainText("1 mention");
  await link.click();
  await expect(ana.page.getByRole("separator", { name: "New messages" })).toBeVisible();
  await expect(link).not.toContainText(/unread|mention/);

  await ana.page.reload();
  await expect(ana.message("soup?")).toBeVisible();
});
