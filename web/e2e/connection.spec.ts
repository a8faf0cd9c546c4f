import { expect, test } from "./world";

test("after a restart of the server both go on, without a gap and without a reload", async ({
  newcomer,
  community,
  server,
}) => {
  const [ana, ben] = [await newcomer("ana"), await newcomer("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  await ben.goTo(path);
  await ana.say("before");
  await expect(ben.said("before")).toBeVisible();

  await server.stop();
  await expect(ana.page.getByText("Reconnecting…")).toBeVisible();
  await ana.say("while nobody listens");
  await expect(ana.page.getByText("Waiting for connection")).toBeVisible();
  await server.start();

  await expect(ben.said("while nobody listens")).toBeVisible({ timeout: 25_000 });
  await expect(ana.page.getByText("Waiting for connection")).toHaveCount(0);
  await expect(ana.said("while nobody listens")).toHaveCount(1);
  await ben.say("after");
  await expect(ana.said("after")).toBeVisible();
  await expect(ana.page.locator("[data-message]")).toHaveCount(3);
});

test("what is written offline waits, survives a reload, and is sent once", async ({
  newcomer,
  community,
}) => {
  const [ana, ben] = [await newcomer("ana"), await newcomer("ben")];
  const { path } = await community(ana, ben);
  await ana.goTo(path);
  await ben.goTo(path);
  await ana.say("hello");
  await expect(ben.said("hello")).toBeVisible();

  await ana.context.setOffline(true);
  await expect(ana.page.getByText("You're offline.")).toBeVisible();
  await ana.say("from the tunnel");
  await expect(ana.page.getByText("Waiting for connection")).toBeVisible();
  await ana.context.setOffline(false);
  await expect(ben.said("from the tunnel")).toBeVisible();
  await expect(ana.said("from the tunnel")).toHaveCount(1);

  // The page goes while a message is on its way.
  await ana.page.route("**/messages", (route) =>
    route.request().method() === "POST" ? route.abort() : route.continue(),
  );
  await ana.say("kept");
  await expect(ana.page.getByText("Waiting for connection")).toBeVisible();
  await ana.page.unroute("**/messages");
  await ana.page.reload();
  await expect(ben.said("kept")).toHaveCount(1);
  await expect(ana.said("kept")).toHaveCount(1);
});

test("a message that is refused says why, and can be tried again or discarded", async ({
  newcomer,
  community,
}) => {
  const ana = await newcomer("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  await ana.page.route("**/messages", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 422, json: { status: 422, code: "refused", detail: "Not like this." } })
      : route.continue(),
  );
  await ana.say("once");
  await expect(ana.page.getByRole("alert")).toContainText("Not sent: Not like this.");
  await ana.page.unroute("**/messages");
  await ana.page.getByRole("button", { name: "Try again" }).click();
  await expect(ana.said("once")).toBeVisible();
  await expect(ana.page.getByRole("alert")).toHaveCount(0);
});

test("an access token that has ended is renewed without a word, in two tabs at once", async ({
  newcomer,
  community,
}) => {
  const ana = await newcomer("ana");
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
  await ana.say("still here");
  await expect(other.locator("[data-message]").filter({ hasText: "still here" })).toBeVisible();
});

test("signing out in one tab signs out the other", async ({ newcomer, community }) => {
  const ana = await newcomer("ana");
  const { path } = await community(ana);
  await ana.goTo(path);
  const other = await ana.context.newPage();
  await other.goto(ana.page.url());
  await expect(other.getByRole("textbox", { name: "Message #general" })).toBeVisible();
  await ana.page.getByRole("button", { name: "Sign out" }).click();
  await expect(ana.page.getByRole("button", { name: "Sign in" })).toBeVisible();
  await expect(other.getByRole("button", { name: "Sign in" })).toBeVisible();
});
