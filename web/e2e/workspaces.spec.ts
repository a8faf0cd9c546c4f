import { expect, test } from "./fixtures";

test("two users edit the same board, and no change is overwritten unseen", async ({ newUser }) => {
  const [ana, bo] = [await newUser("ana"), await newUser("bo")];
  await ana.goTo("/w");
  await ana.page.getByRole("button", { name: "New workspace" }).click();
  await ana.page.getByLabel("Name").fill("The kitchen");
  await ana.page.getByRole("button", { name: "Create", exact: true }).click();
  await ana.page.getByRole("link", { name: "People", exact: true }).click();
  await ana.page.getByRole("button", { name: "Invite people" }).click();
  await ana.page.getByRole("button", { name: "Create invite" }).click();
  const link = await ana.page.getByLabel("Invite link").inputValue();
  await ana.page.keyboard.press("Escape");

  await bo.page.goto(link);
  await bo.page.getByRole("button", { name: "Join The kitchen" }).click();
  await expect(bo.page.getByRole("heading", { name: "The kitchen" })).toBeVisible();
  await expect(ana.page.getByRole("list", { name: "Members" })).toContainText(bo.name);
  await ana.page.getByRole("link", { name: "Items", exact: true }).click();

  await ana.page.getByLabel("Add to open").fill("Buy coffee");
  await ana.page.getByLabel("Add to open").press("Enter");
  await bo.page.getByRole("button", { name: "Buy coffee", exact: true }).click();
  await bo.page.getByLabel("Title").fill("Buy tea");

  await ana.page.getByRole("button", { name: "Move “Buy coffee”" }).click();
  await ana.page.getByRole("menuitem", { name: "Move to doing" }).click();
  await expect(ana.page.getByRole("region", { name: /^doing/ })).toContainText("Buy coffee");

  const dialog = bo.page.getByRole("dialog");
  await expect(dialog).toContainText(`${ana.name} just updated this`);
  await expect(bo.page.getByLabel("Title")).toHaveValue("Buy tea");
  await dialog.getByRole("button", { name: "Add field" }).click();
  await dialog.getByLabel("Name").fill("amount");
  await dialog.getByLabel("Value of amount").fill("2");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "Save anyway" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ana.page.getByRole("region", { name: /^open/ })).toContainText("Buy tea");
  await expect(ana.page.getByRole("region", { name: /^open/ })).toContainText("amount");

  await bo.goTo(new URL(bo.page.url()).pathname);
  await expect(bo.page.getByRole("button", { name: "Buy tea", exact: true })).toBeVisible();
  await bo.page.getByRole("button", { name: "Buy tea", exact: true }).click();
  await bo.page.getByRole("button", { name: "Delete" }).click();
  await expect(ana.page.getByText("Buy tea")).toHaveCount(0);
});

test("settings are JSON, and only permitted members can change them", async ({ newUser }) => {
  const [ana, bo] = [await newUser("ana"), await newUser("bo")];
  const { workspaceId } = await ana.api<{ workspaceId: string }>("POST", "/workspaces", { name: "Office" });
  const { code } = await ana.api<{ code: string }>("POST", `/workspaces/${workspaceId}/invites`, {});
  await bo.api("POST", `/invites/${code}/redeem`);
  await bo.goTo(`/w/${workspaceId}/settings`);
  await expect(bo.page.getByText("No settings yet.")).toBeVisible();
  await expect(bo.page.getByRole("button", { name: "Add setting" })).toHaveCount(0);
  await ana.goTo(`/w/${workspaceId}/settings`);
  await ana.page.getByRole("button", { name: "Add setting" }).click();
  const dialog = ana.page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("colour");
  await dialog.getByLabel("Value (JSON)").fill("blue");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toContainText("Not valid JSON");
  await dialog.getByLabel("Value (JSON)").fill('{"wall": "blue"}');
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(bo.page.locator(".tab-rows")).toContainText("blue");
  await ana.api("PATCH", `/workspaces/${workspaceId}`, { name: "Atelier" });
  await expect(bo.page.getByRole("heading", { name: "Atelier" })).toBeVisible();
});
