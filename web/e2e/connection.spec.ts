import { expect, test } from "./fixtures";

test("after a server restart both clients continue, without a gap and without a reload", async ({
  newUser,
  community,
  server,
}) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  await ben.goTo(path);
  await ana.send("before");
  await expect(ben.message("before")).toBeVisible();

  await server.stop();
  await expect(ana.page.getByText("Reconnecting…")).toBeVisible();
  await ana.send("while offline");
  await expect(ana.page.getByText("Waiting for connection")).toBeVisible();
  await server.start();

  await expect(ben.message("while offline")).toBeVisible({ timeout: 60_000 });
  await expect(ana.page.getByText("Waiting for connection")).toHaveCount(0);
  await expect(ana.message("while offline")).toHaveCount(1);
  await ben.send("after");
  await expect(ana.message("after")).toBeVisible();
  await expect(ana.page.locator("[data-message]")).toHaveCount(3);
});

test("an offline message waits, survives a reload, and is sent once", async ({ newUser, community }) => {
  const [ana, ben] = [await newUser("ana"), await newUser("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  await ben.goTo(path);
  await ana.send("hello");
  await expect(ben.message("hello")).toBeVisible();

  await ana.context.setOffline(true);
  await expect(ana.page.getByText("You're offline.")).toBeVisible();
  await ana.send("from the tunnel");
  await expect(ana.page.getByText("Waiting for connection")).toBeVisible();
  await ana.context.setOffline(false);
  await expect(ben.message("from the tunnel")).toBeVisible();
  await expect(ana.message("from the tunnel")).toHaveCount(1);

  // The page closes while a message is being sent.
  await ana.page.route("**/messages", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await ana.send("kept");
  await expect(ana.page.getByText("Waiting for connection")).toBeVisible();
  await ana.page.unroute("**/messages");
  await ana.page.reload();
  await expect(ben.message("kept")).toHaveCount(1);
  await expect(ana.message("kept")).toHaveCount(1);
});

test("a refused message shows the reason, and can be retried or discarded", async ({
  newUser,
  community,
}) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  await ana.page.route("**/messages", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 422, json: { status: 422, code: "refused", detail: "Not like this." } })
      : route.continue(),
  );
  await ana.send("once");
  await expect(ana.page.getByRole("alert")).toContainText("Not sent: Not like this.");
  await ana.page.unroute("**/messages");
  await ana.page.getByRole("button", { name: "Try again" }).click();
  await expect(ana.message("once")).toBeVisible();
  await expect(ana.page.getByRole("alert")).toHaveCount(0);
});

test("an expired access token is renewed silently, in two tabs at once", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  await expect(ana.box).toBeVisible();
  const other = await ana.context.newPage();
  await ana.page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem("sobremesa.session") ?? "") as Record<string, unknown>;
    localStorage.setItem(
      "sobremesa.session",
      JSON.stringify({ ...session, accessToken: "gone", expiresAt: 0 }),
    );
  });
  await Promise.all([other.goto(ana.page.url()), ana.page.reload()]);
  await expect(other.getByRole("textbox", { name: "Message #general" })).toBeVisible();
  await expect(ana.box).toBeVisible();
  await ana.send("still here");
  await expect(other.locator("[data-message]").filter({ hasText: "still here" })).toBeVisible();
});

test("signing out in one tab signs out the other", async ({ newUser, community }) => {
  const ana = await newUser("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  const other = await ana.context.newPage();
  await other.goto(ana.page.url());
  await expect(other.getByRole("textbox", { name: "Message #general" })).toBeVisible();
  await ana.page.getByRole("button", { name: "Sign out" }).click();
  await expect(ana.page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await expect(other.getByRole("button", { name: "Sign in" })).toBeVisible();
});
