// Inboxes: list, read, archive, snooze and mute. Changes are shown at once, and undone if the server refuses.
import { request } from "../api/client";
import type { InboxMessage } from "../api/shapes";
import type { InboxRef } from "../live/frames";
import type { OwnChange } from "../store/changes";
import type { InboxFilter } from "../store/inboxes";
import { loadBeside } from "../store/loading";
import { store } from "../store/store";

const AT = "/v1/tenants/{tenant}/inboxes/{inbox}";
const PAGE = 50;
/** A filtered page may be empty although more pages follow. */
const MOST_PAGES = 20;

const refOf = ({ tenant, inbox }: InboxRef): InboxRef => ({ tenant, inbox });

const LIST_EVENTS = [
  "inbox.message",
  "inbox.updated",
  "inbox.edited",
  "inbox.recalled",
  "inbox.counts",
] as const;

export async function loadInbox(ref: InboxRef, filter: InboxFilter, cursor: string | null): Promise<void> {
  await loadBeside(store, LIST_EVENTS, async () => [await inboxPage(ref, filter, cursor)]);
}

async function inboxPage(ref: InboxRef, filter: InboxFilter, cursor: string | null): Promise<OwnChange> {
  const messages: InboxMessage[] = [];
  let next = cursor;
  for (let page = 0; page < MOST_PAGES; page++) {
    const answer = await request("get", `${AT}/messages`, {
      path: refOf(ref),
      query: {
        limit: PAGE,
        unread: filter.unread,
        ...(filter.category === null ? {} : { category: filter.category }),
        ...(next === null ? {} : { cursor: next }),
      },
    });
    messages.push(...answer.items);
    next = answer.next;
    if (next === null || messages.length >= PAGE / 2) break;
  }
  const where = cursor === null ? "replace" : "older";
  return { t: "own.inboxPage", d: { ...refOf(ref), filter, messages, next, where } };
}

export async function loadCounts(ref: InboxRef): Promise<void> {
  await loadBeside(store, ["inbox.counts"], async () => {
    const counts = await request("get", `${AT}/counts`, { path: refOf(ref) });
    return [{ t: "own.inboxCounts", d: { ...refOf(ref), ...counts } }];
  });
}

export async function readMessage(ref: InboxRef, messageId: string): Promise<void> {
  store.apply({
    t: "own.inboxRead",
    d: { ...refOf(ref), messageIds: [messageId], readAt: new Date().toISOString() },
  });
  await orReloadCounts(
    ref,
    request("put", `${AT}/messages/{messageId}/read`, { path: { ...refOf(ref), messageId } }),
  );
}

export async function readAll(ref: InboxRef, category: string | null): Promise<number> {
  const answer = await request("post", `${AT}/read-all`, { path: refOf(ref), body: { category } });
  const seen = store.get().inboxLists[ref.inbox]?.messages ?? [];
  const messageIds = seen.flatMap((each) =>
    category === null || each.category === category ? [each.messageId] : [],
  );
  store.apply({ t: "own.inboxRead", d: { ...refOf(ref), messageIds, readAt: new Date().toISOString() } });
  await loadCounts(ref);
  return answer.changed;
}

export async function archiveMessage(ref: InboxRef, message: InboxMessage): Promise<void> {
  const { messageId } = message;
  const path = { ...refOf(ref), messageId };
  await removeOptimistically(ref, message, () =>
    request("put", `${AT}/messages/{messageId}/archive`, { path }),
  );
}

export async function snoozeMessage(ref: InboxRef, message: InboxMessage, until: Date): Promise<void> {
  const path = { ...refOf(ref), messageId: message.messageId };
  const body = { until: until.toISOString() };
  await removeOptimistically(ref, message, () =>
    request("put", `${AT}/messages/{messageId}/snooze`, { path, body }),
  );
}

export async function muteCategory(ref: InboxRef, category: string, muted: boolean): Promise<void> {
  store.apply({ t: "own.inboxMuted", d: { ...refOf(ref), category, muted } });
  const path = { ...refOf(ref), category };
  await orReloadCounts(ref, request("put", `${AT}/preferences/{category}`, { path, body: { muted } }));
}

async function removeOptimistically(
  ref: InboxRef,
  message: InboxMessage,
  work: () => Promise<unknown>,
): Promise<void> {
  const only = refOf(ref);
  store.apply({ t: "own.inboxGone", d: { ...only, messageId: message.messageId } });
  try {
    await work();
  } catch (error) {
    store.apply({ t: "own.inboxBack", d: { ...only, message } });
    throw error;
  }
}

async function orReloadCounts(ref: InboxRef, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    void loadCounts(ref).catch(() => undefined);
    throw error;
  }
}

/** The choices for snoozing, all in the future. */
export function snoozeChoices(now: Date): { label: string; until: Date }[] {
  const at = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);
  const toMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { label: "For an hour", until: new Date(now.getTime() + 3_600_000) },
    ...(now.getHours() < 17 ? [{ label: "Until this evening", until: at(0, 18) }] : []),
    { label: "Until tomorrow", until: at(1, 9) },
    { label: "Until Monday", until: at(toMonday, 9) },
    { label: "For a month", until: at(30, 9) },
  ];
}

/** The URL if it is http or https, else null. */
export function webAddress(text: string | null): string | null {
  if (text === null) return null;
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}
