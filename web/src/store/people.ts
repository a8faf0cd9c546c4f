// Users: names, presence, typing and read positions.
import type { Person } from "../api/shapes";
import type { Change } from "./changes";
import { roomKey, type Reading, type RoomKey, type State } from "./state";

export function reducePeople(state: State, change: Change): State {
  switch (change.t) {
    case "own.session":
      return change.d.me === null ? state : { ...state, me: change.d.me };
    case "ready": {
      const online = change.d.presences.filter((each) => each.status === "online");
      const others = change.d.conversations.flatMap((each) => (each.other === null ? [] : [each.other]));
      const fresh = known({ ...state, me: change.d.user }, [change.d.user, ...others]);
      return {
        ...fresh,
        online: Object.fromEntries(online.map((each) => [each.userId, true as const])),
        typing: {},
      };
    }
    case "user.updated":
      return known(state.me === null ? state : { ...state, me: { ...state.me, ...change.d } }, [change.d]);
    case "own.person":
      return known(state, [change.d.person]);
    case "own.members":
      return known(state, change.d.members);
    case "own.conversation":
      return change.d.conversation.other === null ? state : known(state, [change.d.conversation.other]);
    case "member.joined":
    case "member.updated":
      return known(state, [change.d]);
    case "participant.joined":
    case "participant.updated": {
      const key: RoomKey = `${change.d.roomKind}:${change.d.roomId}`;
      const readings = state.readings[key];
      const person = known(state, [change.d]);
      if (readings === undefined || change.d.userId in readings) return person;
      return withReading(person, key, { ...change.d, lastReadMessageId: null });
    }
    case "presence.updated": {
      const { userId, status } = change.d;
      const { [userId]: _before, ...others } = state.online;
      return { ...state, online: status === "online" ? { ...others, [userId]: true } : others };
    }
    case "typing.started": {
      const { roomKind, roomId, userId, username, displayName } = change.d;
      if (userId === state.me?.userId) return state;
      const key: RoomKey = `${roomKind}:${roomId}`;
      const there = { ...state.typing[key], [userId]: { username, displayName, at: Date.now() } };
      return { ...state, typing: { ...state.typing, [key]: there } };
    }
    case "typing.stopped":
      return withoutTyping(state, change.d, change.d.userId);
    case "message.created":
      return withoutTyping(state, change.d, change.d.authorId);
    case "own.readers": {
      const key = roomKey(change.d.room);
      const readings = Object.fromEntries(change.d.readers.map((each) => [each.userId, each]));
      return { ...known(state, change.d.readers), readings: { ...state.readings, [key]: readings } };
    }
    case "read.updated": {
      const key: RoomKey = `${change.d.roomKind}:${change.d.roomId}`;
      const before = state.readings[key]?.[change.d.userId];
      if (before === undefined) return state;
      return withReading(state, key, { ...before, lastReadMessageId: change.d.lastReadMessageId });
    }
    default:
      return state;
  }
}

function withoutTyping(state: State, room: { roomKind: string; roomId: string }, userId: string): State {
  const key = `${room.roomKind}:${room.roomId}` as RoomKey;
  const there = state.typing[key];
  if (there === undefined || !(userId in there)) return state;
  const { [userId]: _done, ...others } = there;
  return { ...state, typing: { ...state.typing, [key]: others } };
}

function withReading(state: State, key: RoomKey, reading: Reading): State {
  const there = { ...state.readings[key], [reading.userId]: reading };
  return { ...state, readings: { ...state.readings, [key]: there } };
}

function known(state: State, people: readonly Person[]): State {
  const fresh = people.filter((each) => {
    const before = state.people[each.userId];
    return (
      before?.username !== each.username ||
      before.displayName !== each.displayName ||
      before.avatarUrl !== each.avatarUrl
    );
  });
  if (fresh.length === 0) return state;
  const added = fresh.map(
    ({ userId, username, displayName, avatarUrl }) =>
      [userId, { userId, username, displayName, avatarUrl }] as const,
  );
  return { ...state, people: { ...state.people, ...Object.fromEntries(added) } };
}
