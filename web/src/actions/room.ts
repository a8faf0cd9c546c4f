// The verbs of a room of any kind: load, read, react, pin, edit, delete, report.
import { request } from "../api/client";
import type { Message, RoomKind, RoomRef } from "../api/shapes";
import type { OwnChange } from "../store/changes";
import { loadBeside } from "../store/loading";
import { roomEntry } from "../store/selectors";
import { roomKey } from "../store/state";
import { store } from "../store/store";
import { idAt } from "../view/times";
import { loadMembers } from "./communities";
import { listParticipants } from "./conversations";

const PAGE = 50;
const TYPING_EVERY_MS = 3200;

// The three kinds of rooms have the same routes below these.
const ROUTES = {
  channel: "/v1/channels/{roomId}",
  conversation: "/v1/conversations/{roomId}",
  thread: "/v1/threads/{roomId}",
} as const satisfies Record<RoomKind, string>;
export const routes = (room: RoomRef) => ROUTES[room.kind];

type LoadedPage = Extract<OwnChange, { t: "own.page" }>["d"];
const MESSAGE_EVENTS = ["message.updated", "message.deleted", "reaction.added", "reaction.removed"] as const;

/** Load a page of messages, and apply it as `place` says; null drops it. */
async function loadPage(
  room: RoomRef,
  query: { before?: string; after?: string; around?: string },
  place: (messages: readonly Message[], hasMore: boolean) => Omit<LoadedPage, "room" | "messages"> | null,
): Promise<void> {
  await loadBeside(store, MESSAGE_EVENTS, async () => {
    const { items, next } = await request("get", `${routes(room)}/messages`, {
      path: { roomId: room.id },
      query: { limit: PAGE, ...query },
    });
    const placed = place(items, next !== null);
    return placed === null ? [] : [{ t: "own.page", d: { room, messages: items, ...placed } }];
  });
}

const busy = new Set<string>();

/** Run a request unless the same one is in progress. */
async function once(name: string, work: () => Promise<void>): Promise<void> {
  if (busy.has(name)) return;
  busy.add(name);
  try {
    await work();
  } finally {
    busy.delete(name);
  }
}

/** Load the newest messages, and drop the loaded ones. */
export async function loadNewest(room: RoomRef): Promise<void> {
  await once(`newest ${roomKey(room)}`, async () => {
    await loadPage(room, {}, (_, hasOlder) => ({ where: "replace", hasOlder, hasNewer: false }));
  });
}

export async function loadOlder(room: RoomRef): Promise<void> {
  const oldest = store.get().logs[roomKey(room)]?.messages[0];
  if (oldest === undefined) return;
  await once(`older ${roomKey(room)}`, async () => {
    await loadPage(room, { before: oldest.messageId }, (_, hasOlder) => {
      const isSame = store.get().logs[roomKey(room)]?.messages[0]?.messageId === oldest.messageId;
      return isSame ? { where: "older", hasOlder } : null; // it was replaced
    });
  });
}

export async function loadNewer(room: RoomRef): Promise<void> {
  const newest = store.get().logs[roomKey(room)]?.messages.at(-1);
  if (newest === undefined) return;
  await once(`newer ${roomKey(room)}`, async () => {
    await loadPage(room, { after: newest.messageId }, (_, hasNewer) => {
      const isSame = store.get().logs[roomKey(room)]?.messages.at(-1)?.messageId === newest.messageId;
      return isSame ? { where: "newer", hasNewer } : null;
    });
  });
}

/** Load the messages around an id, which need not exist. */
export async function loadAround(room: RoomRef, messageId: string): Promise<void> {
  await loadPage(room, { around: messageId }, (messages, hasOlder) => {
    const newest = messages[0]?.messageId;
    const isEnd = newest === undefined || newest === lastOf(room) || messages.length < PAGE / 2;
    return { where: "replace", hasOlder, hasNewer: !isEnd };
  });
}

/** Load a room around its first unread message, or its newest ones.
 *
 * Returns the id of the last read message, or null if nothing is unread. */
export async function openRoom(room: RoomRef): Promise<string | null> {
  const isUnread = (roomEntry(store.get(), room)?.unread.count ?? 0) > 0;
  const readUpTo = isUnread ? await lastReadOf(room) : null;
  const log = store.get().logs[roomKey(room)];
  if (readUpTo === null) {
    if (log === undefined) await loadNewest(room);
    return null;
  }
  const [first, last] = [log?.messages[0]?.messageId ?? "", log?.messages.at(-1)?.messageId ?? ""];
  const isLoaded =
    log !== undefined && (!log.hasOlder || first <= readUpTo) && (!log.hasNewer || last > readUpTo);
  if (!isLoaded) await loadAround(room, readUpTo);
  return readUpTo;
}

/** Return the id of the last read message, or one for the time of joining; null if neither is known. */
async function lastReadOf(room: RoomRef): Promise<string | null> {
  const me = store.get().me?.userId ?? "";
  if (room.kind !== "channel") {
    await loadReaders(room);
    const mine = store.get().readings[roomKey(room)]?.[me];
    return mine?.lastReadMessageId ?? joining(mine?.joinedAt);
  }
  const channel = store.get().channels[room.id];
  if (channel === undefined || channel.lastReadMessageId !== null) return channel?.lastReadMessageId ?? null;
  if (!(channel.serverId in store.get().members)) await loadMembers(channel.serverId);
  return joining(store.get().members[channel.serverId]?.[me]?.joinedAt);
}

const joining = (at: string | null | undefined): string | null => (at ? idAt(new Date(at)) : null);

/** Update the loaded messages after missed events, and keep the scroll position. */
export async function refresh(room: RoomRef): Promise<void> {
  const log = store.get().logs[roomKey(room)];
  if (log === undefined || log.hasNewer) return;
  const known = new Set(log.messages.map((each) => each.messageId));
  await loadPage(room, {}, (messages, hasOlder) => {
    const touches = messages.length === 0 || messages.some((each) => known.has(each.messageId));
    return touches ? { where: "newer", hasNewer: false } : { where: "replace", hasOlder, hasNewer: false };
  });
}

function lastOf(room: RoomRef): string | null | undefined {
  return roomEntry(store.get(), room)?.lastMessageId;
}

export async function markRead(room: RoomRef, messageId: string): Promise<void> {
  const answer = await request("put", `${routes(room)}/read`, {
    path: { roomId: room.id },
    body: { messageId },
  });
  store.apply({
    t: "own.unread",
    d: { room, lastReadMessageId: answer.lastReadMessageId, unread: answer.unread },
  });
}

export async function countUnread(room: RoomRef): Promise<void> {
  const unread = await request("get", `${routes(room)}/unread`, { path: { roomId: room.id } });
  store.apply({ t: "own.unread", d: { room, lastReadMessageId: null, unread } });
}

const loadingReaders = new Map<string, Promise<void>>();

/** Load the read positions of a room; those of a conversation include participants who have read nothing yet. */
export function loadReaders(room: RoomRef): Promise<void> {
  const key = roomKey(room);
  const before = loadingReaders.get(key);
  if (before !== undefined) return before;
  const loading = fetchReaders(room).finally(() => loadingReaders.delete(key));
  loadingReaders.set(key, loading);
  return loading;
}

async function fetchReaders(room: RoomRef): Promise<void> {
  const readers =
    room.kind === "conversation"
      ? (await listParticipants(room.id)).map((each) => ({ ...each, readAt: each.lastReadAt }))
      : (
          await request("get", `${routes(room)}/readers`, {
            path: { roomId: room.id },
            query: { limit: 100 },
          })
        ).items;
  store.apply({ t: "own.readers", d: { room, readers } });
}

const typedAt = new Map<string, number>();

/** Publish that the user is typing, at most once per interval. */
export function startTyping(room: RoomRef): void {
  const key = roomKey(room);
  const now = Date.now();
  if (now - (typedAt.get(key) ?? 0) < TYPING_EVERY_MS) return;
  typedAt.set(key, now);
  void request("post", `${routes(room)}/typing`, { path: { roomId: room.id } }).catch(() => undefined);
}

/** Publish that the user stopped typing. A sent message implies it. */
export function stopTyping(room: RoomRef, hasSent = false): void {
  if (!typedAt.delete(roomKey(room)) || hasSent) return;
  void request("delete", `${routes(room)}/typing`, { path: { roomId: room.id } }).catch(() => undefined);
}

export async function setMuted(room: RoomRef, muted: boolean): Promise<void> {
  await request("put", `${routes(room)}/preferences`, { path: { roomId: room.id }, body: { muted } });
  store.apply({ t: "own.muted", d: { room, muted } });
}

export async function edit(room: RoomRef, messageId: string, content: string): Promise<void> {
  const message = await request("patch", `${routes(room)}/messages/{messageId}`, {
    path: { roomId: room.id, messageId },
    body: { content },
  });
  store.apply({ t: "message.updated", d: message });
}

export async function remove(room: RoomRef, messageId: string): Promise<void> {
  await request("delete", `${routes(room)}/messages/{messageId}`, { path: { roomId: room.id, messageId } });
  store.apply({ t: "message.deleted", d: { messageId, roomId: room.id, roomKind: room.kind } });
}

/** Add or remove a reaction; shown at once, and undone if the server refuses. */
export async function react(room: RoomRef, messageId: string, emoji: string, me: boolean): Promise<void> {
  store.apply({ t: "own.reacted", d: { room, messageId, emoji, me } });
  try {
    await request(me ? "put" : "delete", `${routes(room)}/messages/{messageId}/reactions/{emoji}`, {
      path: { roomId: room.id, messageId, emoji },
    });
  } catch (error) {
    store.apply({ t: "own.reacted", d: { room, messageId, emoji, me: !me } });
    throw error;
  }
}

export async function pin(room: RoomRef, messageId: string, isPinned: boolean): Promise<void> {
  await request(isPinned ? "put" : "delete", `${routes(room)}/pins/{messageId}`, {
    path: { roomId: room.id, messageId },
  });
  if (isPinned) {
    await loadPins(room);
    return;
  }
  const pins = store.get().pins[roomKey(room)];
  if (pins === undefined) return; // not loaded: an empty list would hide the other pins
  const left = pins.filter((each) => each.message.messageId !== messageId);
  store.apply({ t: "own.pins", d: { room, pins: left } });
}

export async function loadPins(room: RoomRef): Promise<void> {
  const missed = await loadBeside(store, ["pin.added", "pin.removed"], async () => {
    const answer = await request("get", `${routes(room)}/pins`, {
      path: { roomId: room.id },
      query: { limit: 100 },
    });
    return [{ t: "own.pins", d: { room, pins: answer.items } }];
  });
  // The event does not include the message.
  if (missed.some((each) => each.t === "pin.added" && each.d.roomId === room.id)) await loadPins(room);
}

/** Return one message, such as the one that a reply quotes. */
export async function getMessage(room: RoomRef, messageId: string): Promise<Message> {
  return await request("get", `${routes(room)}/messages/{messageId}`, {
    path: { roomId: room.id, messageId },
  });
}

export async function report(room: RoomRef, messageId: string, reason: string): Promise<void> {
  await request("post", `${routes(room)}/messages/{messageId}/report`, {
    path: { roomId: room.id, messageId },
    body: { reason },
  });
}
