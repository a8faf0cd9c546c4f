// Events of threads, and their part of `ready`.
import type { Card, Tab, Thread } from "../api/shapes";

/** The fields of a thread that are the same for all participants. */
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
