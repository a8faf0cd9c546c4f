// Workspaces, and the contents of those that were opened.
import type { Item, Workspace, WorkspaceMember, WorkspaceSetting } from "../api/shapes";
import type { Change } from "./changes";
import type { State } from "./state";

export interface WorkspaceContents {
  members: Readonly<Record<string, WorkspaceMember>>;
  items: Readonly<Record<string, Item>>;
  settings: Readonly<Record<string, WorkspaceSetting>>;
}

export interface Workspaces {
  workspaces: Readonly<Record<string, Workspace>>;
  contents: Readonly<Record<string, WorkspaceContents>>;
}

export const NO_WORKSPACES: Workspaces = { workspaces: {}, contents: {} };

export interface OwnWorkspaceChanges {
  "own.workspace": { workspace: Workspace };
  "own.contents": {
    workspaceId: string;
    members: readonly WorkspaceMember[];
    items: readonly Item[];
    settings: readonly WorkspaceSetting[];
  };
  /** An item before the server confirms it, or its previous version after a refusal. */
  "own.item": { item: Item };
}

export function reduceWorkspaces(state: State, change: Change): State {
  switch (change.t) {
    case "ready":
      return {
        ...state,
        workspaces: Object.fromEntries(change.d.workspaces.map((each) => [each.workspaceId, each])),
      };
    case "own.workspace":
      return withWorkspace(state, change.d.workspace);
    case "workspace.created":
    case "workspace.updated": {
      const known = state.workspaces[change.d.workspaceId];
      const role = known?.role ?? (change.d.createdBy === state.me?.userId ? "owner" : "member");
      return withWorkspace(state, { ...change.d, role });
    }
    case "workspace.deleted":
      return withoutWorkspace(state, change.d.workspaceId);
    case "own.contents": {
      const { workspaceId, members, items, settings } = change.d;
      const contents: WorkspaceContents = {
        members: Object.fromEntries(members.map((each) => [each.userId, each])),
        items: Object.fromEntries(items.map((each) => [each.itemId, each])),
        settings: Object.fromEntries(settings.map((each) => [each.name, each])),
      };
      return { ...state, contents: { ...state.contents, [workspaceId]: contents } };
    }
    case "workspace.member.joined":
    case "workspace.member.updated": {
      const { workspaceId, userId, role } = change.d;
      const known = state.workspaces[workspaceId];
      const isMe = known !== undefined && userId === state.me?.userId;
      return inside(isMe ? withWorkspace(state, { ...known, role }) : state, workspaceId, (contents) => ({
        ...contents,
        members: { ...contents.members, [userId]: change.d },
      }));
    }
    case "workspace.member.left": {
      const { workspaceId, userId } = change.d;
      if (userId === state.me?.userId) return withoutWorkspace(state, workspaceId);
      return inside(state, workspaceId, (contents) => {
        const { [userId]: _gone, ...members } = contents.members;
        return { ...contents, members };
      });
    }
    case "workspace.item.created":
    case "workspace.item.updated":
      return inside(state, change.d.workspaceId, (contents) => {
        const known = contents.items[change.d.itemId];
        // Ignore versions older than the known one.
        if (known !== undefined && known.version > change.d.version) return contents;
        return { ...contents, items: { ...contents.items, [change.d.itemId]: change.d } };
      });
    case "own.item": {
      const { item } = change.d;
      return inside(state, item.workspaceId, (contents) => ({
        ...contents,
        items: { ...contents.items, [item.itemId]: item },
      }));
    }
    case "workspace.item.deleted":
      return inside(state, change.d.workspaceId, (contents) => {
        const { [change.d.itemId]: _gone, ...items } = contents.items;
        return { ...contents, items };
      });
    case "workspace.setting.updated": {
      const { workspaceId, ...setting } = change.d;
      return inside(state, workspaceId, (contents) => ({
        ...contents,
        settings: { ...contents.settings, [setting.name]: setting },
      }));
    }
    case "workspace.setting.deleted":
      return inside(state, change.d.workspaceId, (contents) => {
        const { [change.d.name]: _gone, ...settings } = contents.settings;
        return { ...contents, settings };
      });
    default:
      return state;
  }
}

/** Change the contents of a loaded workspace; others load when they open. */
function inside(
  state: State,
  workspaceId: string,
  how: (contents: WorkspaceContents) => WorkspaceContents,
): State {
  const contents = state.contents[workspaceId];
  if (contents === undefined) return state;
  const fresh = how(contents);
  return fresh === contents ? state : { ...state, contents: { ...state.contents, [workspaceId]: fresh } };
}

function withWorkspace(state: State, workspace: Workspace): State {
  return { ...state, workspaces: { ...state.workspaces, [workspace.workspaceId]: workspace } };
}

function withoutWorkspace(state: State, workspaceId: string): State {
  const { [workspaceId]: _workspace, ...workspaces } = state.workspaces;
  const { [workspaceId]: _contents, ...contents } = state.contents;
  return { ...state, workspaces, contents };
}

export function workspacesOf(state: State): Workspace[] {
  return Object.values(state.workspaces).sort((a, b) => a.name.localeCompare(b.name));
}

/** The columns that the `statuses` setting of a workspace names, or null. */
export function chosenStatuses(settings: WorkspaceContents["settings"]): readonly string[] | null {
  const value: unknown = settings["statuses"]?.value;
  if (!Array.isArray(value) || value.length === 0) return null;
  return value.every((each) => typeof each === "string") ? [...new Set(value)] : null;
}

/** The items by status: statuses of `order` first, then others by name, items without a status last. Those of `always`
 * are included while empty. */
export function columnsOf(
  items: readonly Item[],
  always: readonly string[] = [],
  order: readonly string[] = USUAL,
): { status: string | null; items: Item[] }[] {
  const byStatus = new Map<string | null, Item[]>();
  const known = new Set(items.map((each) => each.status?.toLowerCase()));
  for (const status of always) if (!known.has(status.toLowerCase())) byStatus.set(status, []);
  const places = order.map((each) => each.toLowerCase());
  for (const item of [...items].sort((a, b) => (a.itemId < b.itemId ? -1 : 1)))
    byStatus.set(item.status, [...(byStatus.get(item.status) ?? []), item]);
  const rank = (status: string | null): number => {
    if (status === null) return places.length + 1;
    const at = places.indexOf(status.toLowerCase());
    return at < 0 ? places.length : at;
  };
  return [...byStatus.entries()]
    .map(([status, found]) => ({ status, items: found }))
    .sort((a, b) => rank(a.status) - rank(b.status) || (a.status ?? "").localeCompare(b.status ?? ""));
}

const USUAL = [
  "backlog",
  "todo",
  "to do",
  "open",
  "doing",
  "in progress",
  "review",
  "blocked",
  "done",
  "closed",
];
