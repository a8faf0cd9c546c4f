// The events of threads, inboxes and workspaces, and what `ready` brings of them.
import type {
  Card,
  InboxCounts,
  InboxMessage,
  Item,
  Tab,
  Thread,
  Workspace,
  WorkspaceMember,
  WorkspaceSetting,
} from "../api/shapes";

/** An inbox's place: whose it is, and its name. */
export interface InboxRef {
  tenant: string;
  inbox: string;
}

export interface ReadyInbox extends InboxRef, InboxCounts {
  title: string | null;
  description: string | null;
}

export interface ReadyDeals {
  threads: Thread[];
  inboxes: ReadyInbox[];
  workspaces: Workspace[];
}

/** A thread as everybody in it sees it. */
export type ThreadCore = Omit<Thread, "roleContext" | "muted" | "unread">;
export type WorkspaceCore = Omit<Workspace, "role">;

export interface InboxMark extends InboxRef {
  messageId: string;
  readat: string | null;
  archivedat: string | null;
  snoozeduntil: string | null;
}

export interface DealEvents {
  "thread.created": ThreadCore;
  "thread.updated": ThreadCore;
  "card.updated": Card;
  "tab.updated": Tab;
  "inbox.message": InboxRef & InboxMessage;
  "inbox.updated": InboxMark;
  "inbox.counts": InboxRef & InboxCounts;
  "workspace.created": WorkspaceCore;
  "workspace.updated": WorkspaceCore;
  "workspace.deleted": { workspaceId: string };
  "workspace.member.joined": WorkspaceMember;
  "workspace.member.updated": WorkspaceMember;
  "workspace.member.left": { workspaceId: string; userId: string };
  "workspace.item.created": Item;
  "workspace.item.updated": Item;
  "workspace.item.deleted": { workspaceId: string; itemId: string };
  "workspace.setting.updated": { workspaceId: string } & WorkspaceSetting;
  "workspace.setting.deleted": { workspaceId: string; name: string };
}
