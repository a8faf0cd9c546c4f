import { createThread, expect, test, type TestUser } from "./fixtures";

interface Card {
  messageId: string;
  state: string;
  version: number;
}

const cardIn = (person: TestUser, words: string) => person.page.locator(".card").filter({ hasText: words });

test("an offer is sent and countered, and its history shows who did what", async ({ newUser }) => {
  const [ana, bo] = [await newUser("ana"), await newUser("bo")];
  const threadId = await createThread(ana, bo);
  await ana.goTo(`/t/${threadId}`);
  await bo.goTo("/t");
  await bo.page.getByRole("link", { name: new RegExp(ana.name) }).click();

  await ana.page.getByRole("button", { name: "Create card" }).click();
  await ana.page.getByRole("menuitem", { name: "Offer" }).click();
  await ana.page.getByLabel("Amount").fill("12.345");
  await ana.page.getByRole("button", { name: "Send offer" }).click();
  await expect(ana.page.getByText("Enter an amount, such as 250 or 250.50.")).toBeVisible();
  await ana.page.getByLabel("Amount").fill("250.50");
  await ana.page.getByLabel("Note (optional)").fill("two days");
  await ana.page.getByRole("button", { name: "Send offer" }).click();

  await expect(cardIn(bo, "250.50")).toContainText("Open");
  await expect(cardIn(ana, "250.50").getByRole("button", { name: "Accept" })).toHaveCount(0);
  await expect(cardIn(ana, "250.50").getByRole("button", { name: "Withdraw" })).toBeVisible();
  await cardIn(bo, "250.50").getByRole("button", { name: "Counter" }).click();
  await bo.page.getByLabel("Amount").fill("300");
  await bo.page.getByRole("button", { name: "Send counter-offer" }).click();

  await expect(cardIn(ana, "250.50")).toContainText("Countered");
  await cardIn(ana, "300.00").getByRole("button", { name: "Accept" }).click();
  await ana.page.getByLabel("Add a note (optional)").fill("with pleasure");
  await ana.page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
  await expect(cardIn(bo, "300.00")).toContainText("Accepted");
  await expect(bo.message("accepted the counter-offer")).toContainText("with pleasure");
  await expect(cardIn(bo, "300.00").getByRole("button", { name: "Decline" })).toHaveCount(0);

  await cardIn(bo, "300.00").getByRole("button", { name: "History" }).click();
  const dialog = bo.page.getByRole("dialog");
  await expect(dialog).toContainText("You created it");
  await expect(dialog).toContainText(`${ana.name} accepted the counter-offer`);
});

test("of two concurrent replies to an offer one wins, and the other user sees the result", async ({
  newUser,
  server,
}) => {
  const [ana, bo, cy] = [await newUser("ana"), await newUser("bo"), await newUser("cy")];
  const threadId = await createThread(ana, bo);
  await bo.api("POST", `/threads/${threadId}/participants`, { userId: cy.id, roleContext: "seller" });
  const made = await ana.api<Card>("POST", `/threads/${threadId}/cards`, {
    type: "offer",
    payload: { amount: 10_000, currency: "EUR" },
  });
  // Both see version 1 and receive no update until both have pressed.
  for (const person of [bo, cy]) {
    await person.page.routeWebSocket(`${server.url.replace("http", "ws")}/v1/gateway`, (socket) => {
      const upstream = socket.connectToServer();
      upstream.onMessage((frame) => {
        if (!String(frame).includes('"card.updated"') && !String(frame).includes('"message.created"'))
          socket.send(frame);
      });
    });
    await person.goTo(`/t/${threadId}`);
  }
  const press = async (person: TestUser, verb: string) => {
    await cardIn(person, "100.00").getByRole("button", { name: verb }).click();
    return person.page.getByRole("dialog").getByRole("button", { name: verb });
  };
  const buttons = [await press(bo, "Accept"), await press(cy, "Decline")];
  await Promise.all(buttons.map((each) => each.click()));

  const end = async () => (await ana.api<Card>("GET", `/threads/${threadId}/cards/${made.messageId}`)).state;
  await expect.poll(end).toMatch(/accepted|declined/);
  const state = await end();
  const [winner, loser] = state === "accepted" ? [bo, cy] : [cy, bo];
  for (const person of [winner, loser]) {
    await expect(cardIn(person, "100.00")).toContainText(state === "accepted" ? "Accepted" : "Declined");
    await expect(cardIn(person, "100.00").getByRole("button", { name: "Accept" })).toHaveCount(0);
    await expect(person.page.getByRole("dialog")).toHaveCount(0);
  }
  await expect(cardIn(loser, "100.00")).toContainText("This was just updated.");
  await expect(cardIn(winner, "100.00")).not.toContainText("This was just updated");
});

test("both sides edit the project panel live, and no edit is lost", async ({ newUser }) => {
  const [ana, bo] = [await newUser("ana"), await newUser("bo")];
  const threadId = await createThread(ana, bo);
  for (const person of [ana, bo]) await person.goTo(`/t/${threadId}`);
  const tab = async (person: TestUser, name: string) => person.page.getByRole("tab", { name }).click();

  for (const person of [ana, bo]) await tab(person, "Shotlist");
  await ana.page.getByLabel("Add a shot").fill("the kitchen");
  await ana.page.getByLabel("Add a shot").press("Enter");
  await bo.page.getByRole("checkbox", { name: "the kitchen" }).check();
  await expect(ana.page.getByText("1 of 1 done")).toBeVisible();

  for (const person of [ana, bo]) {
    await tab(person, "Brief");
    await person.page.getByRole("button", { name: "Write brief" }).click();
    await person.page.getByLabel("Project brief").fill(`words of ${person.name}`);
  }
  const ofBo = bo.page.getByRole("tabpanel");
  await ana.page.getByRole("tabpanel").getByRole("button", { name: "Save" }).click();
  await expect(ofBo).toContainText("This was just updated");
  await expect(ofBo).toContainText(`words of ${ana.name}`);
  await expect(bo.page.getByLabel("Project brief")).toHaveValue(`words of ${bo.name}`);
  await ofBo.getByRole("button", { name: "Replace with mine" }).click();
  await expect(ana.page.getByRole("tabpanel")).toContainText(`words of ${bo.name}`);

  await tab(bo, "Expenses");
  await tab(ana, "Expenses");
  await bo.page.getByRole("button", { name: "Submit expense" }).click();
  await bo.page.getByLabel("Description").fill("Train");
  await bo.page.getByLabel("Amount").fill("45.90");
  await bo.page.getByLabel("Category").fill("travel");
  await bo.page.getByRole("button", { name: "Submit", exact: true }).click();
  await ana.page.getByRole("button", { name: "Approve" }).click();
  await expect(bo.page.getByRole("tabpanel").getByText("Approved").first()).toBeVisible();

  await tab(bo, "Documents");
  await tab(ana, "Documents");
  await bo.page.getByRole("button", { name: "New document" }).click();
  await bo.page.getByLabel("Title").fill("License");
  await bo.page.getByLabel("Text").fill("The pictures may be printed.");
  await bo.page.getByRole("button", { name: "Create draft" }).click();
  for (const person of [ana, bo]) {
    await person.page.getByRole("button", { name: /^License/ }).click();
    await person.page.getByRole("button", { name: "Sign version 1" }).click();
    await expect(person.page.getByRole("dialog")).toContainText("You (");
    await person.page.keyboard.press("Escape");
  }
  await expect(ana.page.getByRole("tabpanel")).toContainText("Signed");
});

test("a locked thread accepts nothing, and a muted participant cannot write", async ({ newUser }) => {
  const [ana, bo] = [await newUser("ana"), await newUser("bo")];
  const threadId = await createThread(ana, bo);
  await bo.goTo(`/t/${threadId}`);
  await expect(bo.box).toBeEnabled();
  await ana.goTo(`/t/${threadId}`);
  await ana.page.getByRole("button", { name: "People", exact: true }).click();
  await ana.page.getByRole("button", { name: `Actions for ${bo.name}` }).click();
  await ana.page.getByRole("menuitem", { name: "Mute for 1 hour" }).click();
  await expect(bo.page.getByText("You're muted until")).toBeVisible();
  await expect(bo.box).toHaveCount(0);
  await ana.page.getByRole("button", { name: `Actions for ${bo.name}` }).click();
  await ana.page.getByRole("menuitem", { name: "Unmute" }).click();
  await expect(bo.box).toBeEnabled();

  await ana.page.getByRole("button", { name: "Thread menu" }).click();
  await ana.page.getByRole("menuitem", { name: /^Lock/ }).click();
  await expect(bo.page.getByText(`${ana.name} locked this thread.`)).toBeVisible();
  await bo.page.getByRole("button", { name: "Thread menu" }).waitFor({ state: "hidden" });
  await ana.page.getByRole("button", { name: "Thread menu" }).click();
  await ana.page.getByRole("menuitem", { name: "Unlock thread" }).click();
  await expect(bo.box).toBeEnabled();
});

test("a delivery with files is submitted, returned and resubmitted", async ({ newUser }) => {
  const [ana, bo] = [await newUser("ana"), await newUser("bo")];
  const threadId = await createThread(ana, bo);
  for (const person of [ana, bo]) await person.goTo(`/t/${threadId}`);
  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`this is ${name}`) });

  await bo.page.getByRole("button", { name: "Create card" }).click();
  await bo.page.getByRole("menuitem", { name: "Delivery" }).click();
  await bo.page.getByLabel("Title").fill("First selection");
  await bo.page.getByRole("dialog").locator("input[type=file]").setInputFiles(file("one.txt"));
  await expect(bo.page.getByRole("dialog").getByRole("progressbar")).toHaveCount(0);
  await bo.page.getByRole("button", { name: "Send delivery" }).click();

  const card = cardIn(ana, "First selection");
  const saving = ana.page.waitForEvent("download");
  await card.getByRole("button", { name: "Download one.txt" }).click();
  expect((await saving).suggestedFilename()).toBe("one.txt");
  await card.getByRole("button", { name: "Request revision" }).click();
  await ana.page.getByRole("dialog").getByRole("button", { name: "Request revision" }).click();

  await cardIn(bo, "First selection").getByRole("button", { name: "Resubmit" }).click();
  await bo.page.getByRole("dialog").locator("input[type=file]").setInputFiles(file("two.txt"));
  await expect(bo.page.getByRole("dialog").getByRole("progressbar")).toHaveCount(0);
  await bo.page.getByRole("dialog").getByRole("button", { name: "Resubmit" }).click();
  await expect(card.getByRole("button", { name: "Download two.txt" })).toBeVisible();
  await expect(card.getByRole("button", { name: "Download one.txt" })).toBeVisible();
  await expect(card).toContainText("Submitted");

  await bo.page.getByRole("tab", { name: "Files" }).click();
  await ana.page.getByRole("tab", { name: "Files" }).click();
  await bo.page.getByRole("tabpanel").locator("input[type=file]").setInputFiles(file("plan.txt"));
  await expect(ana.page.getByRole("tabpanel").getByText("plan.txt")).toBeVisible();
});
