// The messages of rooms: pages and events become a contiguous log.
import type { Message, Reaction } from "../api/shapes";
import type { LiveMessage } from "../live/frames";
import type { Change } from "./changes";
import { roomKey, type Log, type RoomKey, type State } from "./state";

const RECENT = 20;
/** How many messages of a room are kept. */
export const KEPT = 400;
const NOTHING: Log = { messages: [], hasOlder: true, hasNewer: false };

export function reduceMessages(state: State, change: Change): State {
  switch (change.t) {
    case "own.page": {
      const { room, messages, where } = change.d;
      const key = roomKey(room);
      const old = where === "replace" ? NOTHING : (state.logs[key] ?? NOTHING);
      const log = {
        messages: merged(old.messages, messages.map(complete), state.me?.userId),
        hasOlder: change.d.hasOlder ?? old.hasOlder,
        hasNewer: change.d.hasNewer ?? old.hasNewer,
      };
      const whole = log.hasNewer ? log : completed(log, state.recent[key] ?? [], state.me?.userId);
      if (where !== "older") return withLog(state, key, shortened(whole, "oldest"));
      // A reader at the end keeps it, even if older messages arrive that were requested before.
      return withLog(state, key, state.viewing === key ? whole : shortened(whole, "newest"));
    }
    case "own.forgotten": {
      const { [roomKey(change.d.room)]: _gone, ...logs } = state.logs;
      const { [roomKey(change.d.room)]: _unpinned, ...pins } = state.pins;
      return { ...state, logs, pins };
    }
    case "message.created":
    case "own.sent": {
      const message = complete(change.t === "own.sent" ? change.d.message : change.d);
      const key = keyOf(message);
      const log = state.logs[key];
      const recent = merged(state.recent[key] ?? [], [message], state.me?.userId).slice(-RECENT);
      const next = { ...state, recent: { ...state.recent, [key]: recent } };
      // If the end of the room is not loaded, appending a new message would leave a gap.
      if (log === undefined || log.hasNewer) return next;
      const longer = { ...log, messages: merged(log.messages, [message], state.me?.userId) };
      return withLog(next, key, state.viewing === key ? shortened(longer, "oldest") : longer);
    }
    case "own.pins":
      return { ...state, pins: { ...state.pins, [roomKey(change.d.room)]: change.d.pins } };
    case "pin.removed": {
      const pins = state.pins[keyOf(change.d)];
      if (pins === undefined) return state;
      const left = pins.filter((each) => each.message.messageId !== change.d.messageId);
      return { ...state, pins: { ...state.pins, [keyOf(change.d)]: left } };
    }
    case "message.updated":
      return changed(state, keyOf(change.d), change.d.messageId, (old) =>
        isOlder(change.d, old) ? old : rewritten(old, complete(change.d), state.me?.userId),
      );
    case "message.deleted":
      return changed(state, keyOf(change.d), change.d.messageId, (old) => ({
        ...old,
        deleted: true,
        content: "",
        attachments: [],
        reactions: [],
        mentions: [],
      }));
    case "reaction.added":
    case "reaction.removed": {
      const { messageId, emoji, userId, count, userIds } = change.d;
      return changed(state, keyOf(change.d), messageId, (old) => {
        const before = old.reactions.find((each) => each.emoji === emoji);
        const isMine = userId === state.me?.userId ? change.t === "reaction.added" : (before?.me ?? false);
        return { ...old, reactions: placed(old.reactions, { emoji, count, userIds, me: isMine }) };
      });
    }
    case "own.reacted": {
      const { room, messageId, emoji, me } = change.d;
      return changed(state, roomKey(room), messageId, (old) => {
        const before = old.reactions.find((each) => each.emoji === emoji);
        if ((before?.me ?? false) === me) return old;
        const mine = state.me?.userId ?? "";
        const others = (before?.userIds ?? []).filter((each) => each !== mine);
        const after: Reaction = {
          emoji,
          count: Math.max(0, (before?.count ?? 0) + (me ? 1 : -1)),
          userIds: me ? [...others, mine] : others,
          me,
        };
        return { ...old, reactions: placed(old.reactions, after) };
      });
    }
    default:
      return state;
  }
}

/** Add the recent messages that arrived while a page was loading. */
function completed(log: Log, recent: readonly Message[], me: string | undefined): Log {
  const last = log.messages.at(-1)?.messageId ?? "";
  const [oldest] = recent;
  // More messages arrived than are kept: the rest has to be loaded.
  if (recent.length === RECENT && oldest !== undefined && oldest.messageId > last)
    return { ...log, hasNewer: true };
  const after = recent.filter((each) => each.messageId > last);
  return after.length === 0 ? log : { ...log, messages: merged(log.messages, after, me) };
}

/** Trim a log to the limit; the removed messages load again when needed. */
function shortened(log: Log, side: "oldest" | "newest"): Log {
  if (log.messages.length <= KEPT) return log;
  return side === "oldest"
    ? { ...log, messages: log.messages.slice(-KEPT), hasOlder: true }
    : { ...log, messages: log.messages.slice(0, KEPT), hasNewer: true };
}

function keyOf(room: { roomKind: Message["roomKind"]; roomId: string }): RoomKey {
  return `${room.roomKind}:${room.roomId}`;
}

function withLog(state: State, key: RoomKey, log: Log): State {
  return { ...state, logs: { ...state.logs, [key]: log } };
}

function changed(state: State, key: RoomKey, messageId: string, how: (old: Message) => Message): State {
  const log = state.logs[key];
  const index = log?.messages.findIndex((each) => each.messageId === messageId) ?? -1;
  const old = log?.messages[index];
  if (log === undefined || old === undefined) return state;
  const fresh = how(old);
  return fresh === old ? state : withLog(state, key, { ...log, messages: log.messages.with(index, fresh) });
}

/** Merge messages without duplicates, in the order of their ids, which is chronological. */
function merged(old: readonly Message[], fresh: readonly Message[], me: string | undefined): Message[] {
  const byId = new Map(old.map((message) => [message.messageId, message]));
  for (const message of fresh) {
    const before = byId.get(message.messageId);
    byId.set(message.messageId, before === undefined ? message : rewritten(before, message, me));
  }
  return [...byId.values()].sort((a, b) =>
    a.messageId < b.messageId ? -1 : a.messageId > b.messageId ? 1 : 0,
  );
}

/** Whether an event has an earlier state of the message, as one that arrived while the message was loaded. */
function isOlder(event: LiveMessage, shown: Message): boolean {
  return (shown.deleted && !event.deleted) || (event.editedAt ?? "") < (shown.editedAt ?? "");
}

/** Events are the same for all users, so the own reactions are taken from the previous version. */
function rewritten(old: Message, fresh: Message, me: string | undefined): Message {
  const mine = new Set(old.reactions.filter((each) => each.me).map((each) => each.emoji));
  const reactions = fresh.reactions.map((each) => ({
    ...each,
    me: each.me || mine.has(each.emoji) || (me !== undefined && each.userIds.includes(me)),
  }));
  return { ...fresh, reactions };
}

/** A message of a page as it is; one of an event with reactions of nobody in particular. */
function complete(message: LiveMessage): Message {
  return { ...message, reactions: message.reactions.map((each) => ({ me: false, ...each })) };
}

function placed(reactions: readonly Reaction[], fresh: Reaction): Reaction[] {
  const index = reactions.findIndex((each) => each.emoji === fresh.emoji);
  if (fresh.count === 0) return reactions.filter((each) => each.emoji !== fresh.emoji);
  return index < 0 ? [...reactions, fresh] : reactions.with(index, fresh);
}
