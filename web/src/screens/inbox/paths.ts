// The path and the display name of an inbox.
import type { ReadyInbox } from "../../live/frames";

export function inboxPath(inbox: string, category: string | null): string {
  const base = `/inbox/${encodeURIComponent(inbox)}`;
  return category === null ? base : `${base}/${encodeURIComponent(category)}`;
}

export function inboxName(inbox: Pick<ReadyInbox, "inbox" | "title">): string {
  return inbox.title ?? inbox.inbox;
}
