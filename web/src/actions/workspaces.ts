// Workspaces: create, members, items, settings and invites.
import { request } from "../api/client";
import { Problem } from "../api/problems";
import type {
  JsonObject,
  Item,
  WorkspaceInvite,
  WorkspaceMember,
  WorkspaceRole,
  WorkspaceSetting,
} from "../api/shapes";
import type { OwnChange } from "../store/changes";
import { loadBeside } from "../store/loading";
import { store } from "../store/store";

const AT = "/v1/workspaces/{workspaceId}";

/** Load all workspaces of the user. */
export async function loadWorkspaces(): Promise<void> {
  let cursor: string | null = null;
  do {
    const answer = await workspacesFrom(cursor);
    for (const workspace of answer.items) store.apply({ t: "own.workspace", d: { workspace } });
    cursor = answer.next;
  } while (cursor !== null);
}

async function workspacesFrom(cursor: string | null) {
  return await request("get", "/v1/workspaces", {
    query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
  });
}

export async function createWorkspace(name: string): Promise<string> {
  const workspace = await request("post", "/v1/workspaces", { body: { name } });
  store.apply({ t: "own.workspace", d: { workspace } });
  return workspace.workspaceId;
}

export async function renameWorkspace(workspaceId: string, name: string): Promise<void> {
  const workspace = await request("patch", AT, { path: { workspaceId }, body: { name } });
  store.apply({ t: "own.workspace", d: { workspace } });
}

export async function deleteWorkspace(workspaceId: string): Promise<void> {
  await request("delete", AT, { path: { workspaceId } });
  store.apply({ t: "workspace.deleted", d: { workspaceId } });
}

const CONTENT_EVENTS = [
  "workspace.member.joined",
  "workspace.member.updated",
  "workspace.member.left",
  "workspace.item.created",
  "workspace.item.updated",
  "workspace.item.deleted",
  "workspace.setting.updated",
  "workspace.setting.deleted",
] as const;

/** Load all pages of a workspace. */
export async function loadContents(workspaceId: string): Promise<void> {
  await loadBeside(store, CONTENT_EVENTS, () => contentsOf(workspaceId));
}

async function contentsOf(workspaceId: string): Promise<readonly OwnChange[]> {
  const members: WorkspaceMember[] = [];
  const items: Item[] = [];
  const settings: WorkspaceSetting[] = [];
  let cursor: string | null = null;
  do {
    const query: { cursor?: string } = cursor === null ? {} : { cursor };
    const page = await everything(workspaceId, query);
    members.push(...page.members);
    items.push(...page.items);
    settings.push(...page.settings);
    cursor = page.next;
  } while (cursor !== null);
  const people = members.map((person) => ({ t: "own.person", d: { person } }) as const);
  return [{ t: "own.contents", d: { workspaceId, members, items, settings } }, ...people];
}

async function everything(workspaceId: string, query: { cursor?: string }) {
  return await request("get", AT, { path: { workspaceId }, query });
}

export async function changeMemberRole(
  workspaceId: string,
  userId: string,
  role: WorkspaceRole,
): Promise<void> {
  const path = { workspaceId, userId };
  const member = await request("patch", `${AT}/members/{userId}`, { path, body: { role } });
  store.apply({ t: "workspace.member.updated", d: member });
}

/** Remove a member, or leave. */
export async function removeWorkspaceMember(workspaceId: string, userId: string): Promise<void> {
  await request("delete", `${AT}/members/{userId}`, { path: { workspaceId, userId } });
  store.apply({ t: "workspace.member.left", d: { workspaceId, userId } });
}

export async function createWorkspaceInvite(
  workspaceId: string,
  limits: { maxUses: number | null; expiresInSeconds: number | null },
): Promise<WorkspaceInvite> {
  return await request("post", `${AT}/invites`, { path: { workspaceId }, body: limits });
}

export async function listWorkspaceInvites(workspaceId: string): Promise<WorkspaceInvite[]> {
  return (await request("get", `${AT}/invites`, { path: { workspaceId }, query: { limit: 100 } })).items;
}

export interface ItemDraft {
  title: string;
  status: string | null;
  data: JsonObject;
}

export async function createItem(workspaceId: string, draft: ItemDraft): Promise<void> {
  const item = await request("post", `${AT}/items`, {
    path: { workspaceId },
    body: draft,
  });
  store.apply({ t: "workspace.item.created", d: item });
}

/** Change an item, shown at once. On a conflict the current item is shown, and the result is false. */
export async function changeItem(item: Item, changes: Partial<ItemDraft>): Promise<boolean> {
  const { workspaceId, itemId, version } = item;
  store.apply({ t: "own.item", d: { item: { ...item, ...changes } } });
  try {
    const fresh = await request("patch", `${AT}/items/{itemId}`, {
      path: { workspaceId, itemId },
      body: {
        version,
        ...changes,
      },
    });
    store.apply({ t: "workspace.item.updated", d: fresh });
    return true;
  } catch (error) {
    const current = error instanceof Problem && error.status === 409 ? error.current : undefined;
    const isConflict = typeof current === "object" && current !== null;
    store.apply({ t: "own.item", d: { item: isConflict ? (current as Item) : item } });
    if (!isConflict) throw error;
    return false;
  }
}

export async function deleteItem(item: Item): Promise<void> {
  const { workspaceId, itemId } = item;
  store.apply({ t: "workspace.item.deleted", d: { workspaceId, itemId } });
  try {
    await request("delete", `${AT}/items/{itemId}`, { path: { workspaceId, itemId } });
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return; // already deleted
    store.apply({ t: "own.item", d: { item } });
    throw error;
  }
}

export async function putSetting(workspaceId: string, name: string, value: unknown): Promise<void> {
  const setting = await request("put", `${AT}/settings/{name}`, {
    path: { workspaceId, name },
    body: { value },
  });
  store.apply({ t: "workspace.setting.updated", d: { workspaceId, ...setting } });
}
