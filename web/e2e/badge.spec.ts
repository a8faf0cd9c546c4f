// The page of docs/inboxes.md, as it is in the docs, on an origin of its own.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { expect, freePort, Server, test } from "./fixtures";

test("the badge of the docs follows the unread count, also over a restart of the server", async ({
  page,
}) => {
  test.slow(); // it starts a server of its own, twice
  const docs = readFileSync("../docs/inboxes.md", "utf8");
  const html = /`badge\.html`:\n\n```html\n(.*?)^```/ms.exec(docs)?.[1] ?? "";
  const origin = `http://127.0.0.1:${await freePort()}`;
  const site = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end(html),
  );
  site.listen(Number(new URL(origin).port), "127.0.0.1");
  const server = await Server.start({ environment: { SOBREMESA_CORS_ORIGINS: origin } });
  try {
    const answer = await fetch(`${server.url}/v1/auth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "ana@example.com", username: "ana", password: "correct horse battery" }),
    });
    const { accessToken } = (await answer.json()) as { accessToken: string };
    await page.goto(`${origin}/#${new URLSearchParams({ address: server.url, token: accessToken })}`);
    const badge = page.locator("#badge");
    await expect(badge).toHaveText("0");
    await server.publish("orders", { title: "Shipped" });
    await expect(badge).toHaveText("1");
    await server.publish("letters", { title: "Another inbox" });

    await server.stop();
    await server.start();
    await server.publish("orders", { title: "Delivered" });
    await expect(badge).toHaveText("2", { timeout: 30_000 });
  } finally {
    await server.end();
    site.close();
  }
});
