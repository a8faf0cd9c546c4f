// The events of threads, and what `ready` brings of them.
import type { Card, Tab, Thread } from "../api/shapes";

/** A thread as everybody in it sees it. */
export type ThreadCore = Omit<Thread, "roleContext" | "muted" | "unread">;

export interface ReadyThreads {
  threads: Thread[];
}

export interface ThreadEvents {
  "thread.created": ThreadCore;
  "thread.updated": ThreadCore;
  "card.updated": Card;
  "tab.updated": Tab;
}
