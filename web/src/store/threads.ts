// Threads: participants, cards, tabs of the project panel, and unread counts.
import type { Card, Tab, TabName, Thread, ThreadParticipant, ThreadRole, Unread } from "../api/shapes";
import type { LiveMessage } from "../live/frames";
import type { Change } from "./changes";
import type { State } from "./state";

/** The row of a participant in a thread. */
export type Seat = Omit<ThreadParticipant, "muted" | "threadId">;
export type Panel = Readonly<Partial<Record<TabName, Tab>>>;

export interface Threads {
  threads: Readonly<Record<string, Thread>>;
  seats: Readonly<Record<string, Readonly<Record<string, Seat>>>>;
  /** The cards of a thread by message id. */
  cards: Readonly<Record<string, Readonly<Record<string, Card>>>>;
  panels: Readonly<Record<string, Panel>>;
  /** Incremented by every `ready`: screens reload what it does not include. */
  snapshots: number;
}

export const NO_THREADS: Threads = { threads: {}, seats: {}, cards: {}, panels: {}, snapshots: 0 };

export interface OwnThreadChanges {
  "own.threads": { threads: readonly Thread[] };
  "own.seats": { threadId: string; seats: readonly Seat[] };
  "own.cards": { threadId: string; cards: readonly Card[] };
  "own.panel": { threadId: string; tabs: readonly Tab[] };
}

const NOTHING_UNREAD: Unread = { count: 0, capped: false, mentions: 0 };

export function reduceThreads(state: State, change: Change): State {
  switch (change.t) {
    case "ready": {
      const threads = Object.fromEntries(change.d.threads.map((each) => [each.threadId, each]));
      return { ...state, threads, snapshots: state.snapshots + 1 };
    }
    case "own.threads": {
      const threads = Object.fromEntries(change.d.threads.map((each) => [each.threadId, each]));
      return { ...state, threads: { ...state.threads, ...threads } };
    }
    case "thread.updated": {
      const known = state.threads[change.d.threadId];
      if (known === undefined) return state;
      const isOlder = (known.lastMessageId ?? "") > (change.d.lastMessageId ?? "");
      const last = isOlder ? { lastMessageId: known.lastMessageId, lastMessageAt: known.lastMessageAt } : {};
      return withThread(state, { ...known, ...change.d, ...last });
    }
    case "own.seats": {
      const seats = Object.fromEntries(change.d.seats.map((each) => [each.userId, each]));
      return { ...state, seats: { ...state.seats, [change.d.threadId]: seats } };
    }
    case "participant.joined":
    case "participant.updated": {
      const {
        roomKind,
        roomId,
        userId,
        username,
        displayName,
        avatarUrl,
        role,
        joinedAt,
        blockedUntil = null,
      } = change.d;
      const seats = state.seats[roomId];
      if (roomKind !== "thread" || seats === undefined) return state;
      const roleContext = role as ThreadRole;
      const seat: Seat = { userId, username, displayName, avatarUrl, roleContext, joinedAt, blockedUntil };
      return { ...state, seats: { ...state.seats, [roomId]: { ...seats, [userId]: seat } } };
    }
    case "participant.left": {
      const { roomKind, roomId, userId } = change.d;
      if (roomKind !== "thread") return state;
      if (userId === state.me?.userId) return withoutThread(state, roomId);
      const { [userId]: _gone, ...others } = state.seats[roomId] ?? {};
      return roomId in state.seats ? { ...state, seats: { ...state.seats, [roomId]: others } } : state;
    }
    case "own.cards":
      return change.d.cards.reduce(withCard, {
        ...state,
        cards: { ...state.cards, [change.d.threadId]: state.cards[change.d.threadId] ?? {} },
      });
    case "card.updated":
      return withCard(state, change.d);
    case "own.panel": {
      const fresh = {
        ...state,
        panels: { ...state.panels, [change.d.threadId]: state.panels[change.d.threadId] ?? {} },
      };
      return change.d.tabs.reduce(withTab, fresh);
    }
    case "tab.updated":
      return change.d.threadId in state.panels ? withTab(state, change.d) : state;
    case "message.created":
      return withNewMessage(state, change.d);
    case "own.sent":
      return withNewMessage(state, change.d.message);
    case "own.unread": {
      const { room, unread } = change.d;
      const thread = room.kind === "thread" ? state.threads[room.id] : undefined;
      return thread === undefined ? state : withThread(state, { ...thread, unread });
    }
    case "read.updated": {
      const { roomKind, roomId, userId, lastReadMessageId } = change.d;
      const thread = roomKind === "thread" ? state.threads[roomId] : undefined;
      if (thread === undefined || userId !== state.me?.userId) return state;
      // Read to the end: nothing is unread. Otherwise `live/connect.ts` requests the count.
      if ((thread.lastMessageId ?? "") > lastReadMessageId) return state;
      return withThread(state, { ...thread, unread: NOTHING_UNREAD });
    }
    case "preferences.updated":
      return change.d.roomKind === "thread" ? withMuted(state, change.d.roomId, change.d.muted) : state;
    case "own.muted":
      return change.d.room.kind === "thread" ? withMuted(state, change.d.room.id, change.d.muted) : state;
    default:
      return state;
  }
}

function withThread(state: State, thread: Thread): State {
  return { ...state, threads: { ...state.threads, [thread.threadId]: thread } };
}

function withoutThread(state: State, threadId: string): State {
  const { [threadId]: _thread, ...threads } = state.threads;
  const { [threadId]: _seats, ...seats } = state.seats;
  return { ...state, threads, seats };
}

function withMuted(state: State, threadId: string, muted: boolean): State {
  const thread = state.threads[threadId];
  return thread === undefined ? state : withThread(state, { ...thread, muted });
}

/** Ignore versions older than the known one. */
function withCard(state: State, card: Card): State {
  const cards = state.cards[card.threadId];
  const known = cards?.[card.messageId];
  if (known !== undefined && known.version > card.version) return state;
  return { ...state, cards: { ...state.cards, [card.threadId]: { ...cards, [card.messageId]: card } } };
}

function withTab(state: State, tab: Tab): State {
  const panel = state.panels[tab.threadId];
  const known = panel?.[tab.tab];
  if (known !== undefined && known.sourceVersion > tab.sourceVersion) return state;
  return { ...state, panels: { ...state.panels, [tab.threadId]: { ...panel, [tab.tab]: tab } } };
}

/** Apply a new message: unread unless it is a notice, or the user wrote it or is viewing the end of the thread. */
function withNewMessage(state: State, message: LiveMessage): State {
  const thread = message.roomKind === "thread" ? state.threads[message.roomId] : undefined;
  if (thread === undefined || (thread.lastMessageId ?? "") >= message.messageId) return state;
  const isMine = message.authorId === state.me?.userId;
  const isSeen = isMine || message.type === "system" || state.viewing === `thread:${message.roomId}`;
  const unread = isSeen ? thread.unread : { ...thread.unread, count: thread.unread.count + 1 };
  return withThread(state, {
    ...thread,
    lastMessageId: message.messageId,
    lastMessageAt: message.createdAt,
    unread,
  });
}

/** Threads, most recent first. */
export function threadsOf(state: State): Thread[] {
  const at = (each: Thread) => each.lastMessageAt ?? each.createdAt;
  return Object.values(state.threads).sort((a, b) => (at(a) > at(b) ? -1 : 1));
}

/** The buyer or seller on the other side of the user. */
export function otherParty(thread: Thread, me: string): string {
  if (thread.buyerUserId === me) return thread.sellerUserId;
  if (thread.sellerUserId === me) return thread.buyerUserId;
  return thread.roleContext === "seller" ? thread.buyerUserId : thread.sellerUserId;
}

export function threadTally(state: State): { unread: boolean; mentions: number } {
  const counted = Object.values(state.threads).filter((each) => each.unread.count > 0 && !each.muted);
  return { unread: counted.length > 0, mentions: counted.reduce((sum, each) => sum + each.unread.count, 0) };
}
