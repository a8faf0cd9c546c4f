// Events of inboxes, and their part of `ready`.
import type { InboxCounts, InboxMessage } from "../api/shapes";

/** Identifies an inbox: its tenant and its name. */
export interface InboxRef {
  tenant: string;
  inbox: string;
}

export interface ReadyInbox extends InboxRef, InboxCounts {
  title: string | null;
  description: string | null;
}

export interface ReadyInboxes {
  inboxes: ReadyInbox[];
}

export interface InboxMark extends InboxRef {
  messageId: string;
  readat: string | null;
  archivedat: string | null;
  snoozeduntil: string | null;
}

export interface InboxEvents {
  "inbox.message": InboxRef & InboxMessage;
  "inbox.updated": InboxMark;
  "inbox.counts": InboxRef & InboxCounts;
}
