// Inboxes: counts by category, and the loaded notifications.
import type { InboxCounts, InboxMessage } from "../api/shapes";
import type { InboxRef, ReadyInbox } from "../live/frames";
import type { Change } from "./changes";
import type { State } from "./state";

export interface InboxFilter {
  category: string | null;
  unread: boolean;
}

/** The loaded messages that pass a filter, newest first, and the cursor of the next page. */
export interface InboxList {
  filter: InboxFilter;
  messages: readonly InboxMessage[];
  next: string | null;
}

export interface Inboxes {
  inboxes: Readonly<Record<string, ReadyInbox>>;
  inboxLists: Readonly<Record<string, InboxList>>;
}

export const NO_INBOXES: Inboxes = { inboxes: {}, inboxLists: {} };

export interface OwnInboxChanges {
  "own.inboxPage": InboxRef & {
    filter: InboxFilter;
    messages: readonly InboxMessage[];
    next: string | null;
    where: "replace" | "older";
  };
  "own.inboxCounts": InboxRef & InboxCounts;
  /** Changes of this client before the server confirms them. */
  "own.inboxRead": InboxRef & { messageIds: readonly string[]; readAt: string | null };
  "own.inboxGone": InboxRef & { messageId: string };
  "own.inboxBack": InboxRef & { message: InboxMessage };
  "own.inboxMuted": InboxRef & { category: string; muted: boolean };
}

export function reduceInboxes(state: State, change: Change): State {
  switch (change.t) {
    case "ready":
      return { ...state, inboxes: Object.fromEntries(change.d.inboxes.map((each) => [each.inbox, each])) };
    case "inbox.counts":
    case "own.inboxCounts": {
      const known = state.inboxes[change.d.inbox];
      const entry = known ?? { title: null, description: null, ...change.d };
      return withInbox(state, { ...entry, ...change.d });
    }
    case "inbox.message":
      return arrived(state, change.d);
    case "inbox.updated":
      return marked(state, change.d);
    case "inbox.edited":
      return edited(state, change.d);
    case "inbox.recalled":
      return recalled(state, change.d);
    case "own.inboxPage": {
      const { inbox, filter, messages, next, where } = change.d;
      const old = where === "older" ? state.inboxLists[inbox] : undefined;
      if (old !== undefined && !sameFilter(old.filter, filter)) return state; // the filter has changed
      return withList(state, inbox, { filter, next, messages: merged(old?.messages ?? [], messages) });
    }
    case "own.inboxRead":
      return change.d.messageIds.reduce(
        (before, messageId) => withRead(before, change.d, messageId, change.d.readAt),
        state,
      );
    case "own.inboxGone":
      return removed(state, change.d, change.d.messageId);
    case "own.inboxBack": {
      const { inbox, message } = change.d;
      const list = state.inboxLists[inbox];
      const back = counted(state, inbox, message.category, 1, message.readAt === null ? 1 : 0);
      return list === undefined
        ? back
        : withList(back, inbox, { ...list, messages: merged(list.messages, [message]) });
    }
    case "own.inboxMuted":
      return withMuted(state, change.d);
    default:
      return state;
  }
}

export function passes(message: InboxMessage, filter: InboxFilter): boolean {
  if (filter.category !== null && message.category !== filter.category) return false;
  return !filter.unread || message.readAt === null;
}

export function sameFilter(one: InboxFilter, other: InboxFilter): boolean {
  return one.category === other.category && one.unread === other.unread;
}

function arrived(state: State, { tenant, inbox, ...message }: InboxRef & InboxMessage): State {
  const list = state.inboxLists[inbox];
  if (list?.messages.some((each) => each.messageId === message.messageId) === true) return state;
  const known = state.inboxes[inbox] ?? {
    tenant,
    inbox,
    title: null,
    description: null,
    total: 0,
    unread: 0,
    categories: {},
  };
  // A broadcast is counted here; the exact counts follow in an `inbox.counts`.
  const base = withInbox(state, known);
  const next = message.audience === "everyone" ? counted(base, inbox, message.category, 1, 1) : base;
  if (list === undefined || !passes(message, list.filter)) return next;
  return withList(next, inbox, { ...list, messages: merged(list.messages, [message]) });
}

type Edited = Extract<Change, { t: "inbox.edited" }>["d"];

function marked(state: State, mark: Extract<Change, { t: "inbox.updated" }>["d"]): State {
  const isHidden =
    mark.archivedAt !== null || (mark.snoozedUntil !== null && Date.parse(mark.snoozedUntil) > Date.now());
  const list = state.inboxLists[mark.inbox];
  if (list === undefined) return state;
  // A separate event brings the counts.
  const messages = isHidden
    ? list.messages.filter((each) => each.messageId !== mark.messageId)
    : list.messages.map((each) =>
        each.messageId === mark.messageId ? { ...each, readAt: mark.readAt } : each,
      );
  return withList(state, mark.inbox, { ...list, messages });
}

function edited(state: State, { inbox, messageId, sender, title, body, ctaUri }: Edited): State {
  const list = state.inboxLists[inbox];
  if (list === undefined) return state;
  const messages = list.messages.map((each) =>
    each.messageId === messageId ? { ...each, sender, title, body, ctaUri } : each,
  );
  return withList(state, inbox, { ...list, messages });
}

/** A separate event brings the counts. */
function recalled(state: State, { inbox, messageId }: InboxRef & { messageId: string }): State {
  const list = state.inboxLists[inbox];
  if (list === undefined) return state;
  return withList(state, inbox, {
    ...list,
    messages: list.messages.filter((each) => each.messageId !== messageId),
  });
}

/** A read message stays in the list until that loads again, whatever the filter, so that rows do not jump. */
function withRead(state: State, { inbox }: InboxRef, messageId: string, readAt: string | null): State {
  const list = state.inboxLists[inbox];
  const message = list?.messages.find((each) => each.messageId === messageId);
  if (list === undefined || message === undefined || (message.readAt === null) === (readAt === null))
    return state;
  const messages = list.messages.map((each) => (each === message ? { ...each, readAt } : each));
  const fresh = withList(state, inbox, { ...list, messages });
  return counted(fresh, inbox, message.category, 0, readAt === null ? 1 : -1);
}

function removed(state: State, { inbox }: InboxRef, messageId: string): State {
  const list = state.inboxLists[inbox];
  const message = list?.messages.find((each) => each.messageId === messageId);
  if (list === undefined || message === undefined) return state;
  const fresh = withList(state, inbox, {
    ...list,
    messages: list.messages.filter((each) => each !== message),
  });
  return counted(fresh, inbox, message.category, -1, message.readAt === null ? -1 : 0);
}

function withMuted(
  state: State,
  { inbox, category, muted }: InboxRef & { category: string; muted: boolean },
): State {
  const known = state.inboxes[inbox];
  const before = known?.categories[category];
  if (known === undefined || before === undefined || before.muted === muted) return state;
  // The total does not include unread messages of muted categories.
  const unread = known.unread + (muted ? -before.unread : before.unread);
  return withInbox(state, {
    ...known,
    unread,
    categories: { ...known.categories, [category]: { ...before, muted } },
  });
}

function counted(state: State, inbox: string, category: string | null, total: number, unread: number): State {
  const known = state.inboxes[inbox];
  if (known === undefined) return state;
  const before = category === null ? undefined : known.categories[category];
  const isMuted = before?.muted ?? false;
  const counts: InboxCounts = {
    total: atLeastNone(known.total + total),
    unread: atLeastNone(known.unread + (isMuted ? 0 : unread)),
    categories:
      category === null
        ? known.categories
        : {
            ...known.categories,
            [category]: {
              total: atLeastNone((before?.total ?? 0) + total),
              unread: atLeastNone((before?.unread ?? 0) + unread),
              muted: isMuted,
            },
          },
  };
  return withInbox(state, { ...known, ...counts });
}

const atLeastNone = (count: number): number => Math.max(0, count);

function withInbox(state: State, inbox: ReadyInbox): State {
  return { ...state, inboxes: { ...state.inboxes, [inbox.inbox]: inbox } };
}

function withList(state: State, inbox: string, list: InboxList): State {
  return { ...state, inboxLists: { ...state.inboxLists, [inbox]: list } };
}

/** Newest first by id, without duplicates. */
function merged(old: readonly InboxMessage[], fresh: readonly InboxMessage[]): InboxMessage[] {
  const byId = new Map([...old, ...fresh].map((each) => [each.messageId, each]));
  return [...byId.values()].sort((a, b) => (a.messageId > b.messageId ? -1 : 1));
}

export function inboxesOf(state: State): ReadyInbox[] {
  return Object.values(state.inboxes).sort((a, b) => (a.inbox < b.inbox ? -1 : 1));
}

export function inboxTally(state: State): { unread: boolean; mentions: number } {
  const unread = Object.values(state.inboxes).reduce((sum, each) => sum + each.unread, 0);
  return { unread: unread > 0, mentions: unread };
}
