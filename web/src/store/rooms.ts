// Communities with their channels and members, and conversations, with their unread counts.
import type { Conversation, Member, RoomRef, Unread } from "../api/shapes";
import type { ChannelActivity, LiveMessage, Ready } from "../live/frames";
import type { Change } from "./changes";
import {
  NOTHING_UNREAD,
  roomKey,
  without,
  type ChannelEntry,
  type Lost,
  type ServerEntry,
  type State,
} from "./state";

export function reduceRooms(state: State, change: Change): State {
  switch (change.t) {
    case "ready":
      return snapshot(state, change.d);
    case "own.server": {
      const { server, role, channels } = change.d;
      const entries = Object.fromEntries(channels.map((each) => [each.channelId, each]));
      return {
        ...state,
        servers: { ...state.servers, [server.serverId]: { ...server, role } },
        channels: { ...state.channels, ...entries },
        lost: without(state.lost, server.serverId),
      };
    }
    case "server.created":
    case "server.updated": {
      const server = change.d;
      const known = state.servers[server.serverId];
      const role = known?.role ?? (server.ownerId === state.me?.userId ? "owner" : "member");
      const servers = { ...state.servers, [server.serverId]: { ...server, role } };
      return { ...state, servers, lost: without(state.lost, server.serverId) };
    }
    case "server.deleted":
      return withoutServer(state, change.d.serverId, "deleted");
    case "channel.created":
    case "channel.updated": {
      const known = state.channels[change.d.channelId];
      const fresh: ChannelEntry = known
        ? { ...known, ...change.d, lastMessageId: newest(known.lastMessageId, change.d.lastMessageId) }
        : { ...change.d, unread: NOTHING_UNREAD, lastReadMessageId: null, muted: false };
      return { ...state, channels: { ...state.channels, [fresh.channelId]: fresh } };
    }
    case "channel.deleted":
      return { ...state, channels: without(state.channels, change.d.channelId) };
    case "channel.activity":
      return withActivity(state, change.d);
    case "own.members": {
      const members = Object.fromEntries(change.d.members.map((each) => [each.userId, each]));
      return { ...state, members: { ...state.members, [change.d.serverId]: members } };
    }
    case "member.joined":
    case "member.updated":
      return withMember(state, change.d);
    case "member.left": {
      const { serverId, userId } = change.d;
      if (userId === state.me?.userId) return withoutServer(state, serverId, "removed");
      const members = state.members[serverId];
      if (members === undefined) return state;
      return { ...state, members: { ...state.members, [serverId]: without(members, userId) } };
    }
    case "own.conversation":
      return withConversation(state, change.d.conversation);
    case "conversation.updated": {
      const known = state.conversations[change.d.convoId];
      return known === undefined ? state : withConversation(state, { ...known, ...change.d });
    }
    case "conversation.deleted":
      return { ...state, conversations: without(state.conversations, change.d.convoId) };
    case "participant.left": {
      const { roomKind, roomId, userId } = change.d;
      if (roomKind !== "conversation" || userId !== state.me?.userId) return state;
      return { ...state, conversations: without(state.conversations, roomId) };
    }
    case "message.created":
    case "own.sent":
      return withNewMessage(state, change.t === "own.sent" ? change.d.message : change.d);
    case "own.unread": {
      const { room, lastReadMessageId, unread } = change.d;
      return withRead(state, room, lastReadMessageId, unread);
    }
    case "read.updated": {
      const { roomKind, roomId, userId, lastReadMessageId } = change.d;
      if (userId !== state.me?.userId) return state;
      const room: RoomRef = { kind: roomKind, id: roomId };
      const last = roomKind === "channel" ? state.channels[roomId] : state.conversations[roomId];
      // Read to the end: nothing is unread. Otherwise `live/connect.ts` requests the count.
      const isAll = last !== undefined && (last.lastMessageId ?? "") <= lastReadMessageId;
      return withRead(state, room, lastReadMessageId, isAll ? NOTHING_UNREAD : null);
    }
    case "preferences.updated":
      return withMuted(state, { kind: change.d.roomKind, id: change.d.roomId }, change.d.muted);
    case "own.muted":
      return withMuted(state, change.d.room, change.d.muted);
    default:
      return state;
  }
}

function snapshot(state: State, ready: Ready): State {
  const servers: Record<string, ServerEntry> = {};
  const channels: Record<string, ChannelEntry> = {};
  for (const { channels: inside, ...server } of ready.servers) {
    servers[server.serverId] = server;
    for (const channel of inside) channels[channel.channelId] = channel;
  }
  const conversations = Object.fromEntries(ready.conversations.map((each) => [each.convoId, each]));
  const missed = Object.values(state.servers).map(({ serverId, name }): [string, Lost] => [
    serverId,
    { name, why: "removed" },
  ]);
  const lost = Object.fromEntries(
    [...Object.entries(state.lost), ...missed].filter(([serverId]) => !(serverId in servers)),
  );
  // Members load again when they are shown.
  return { ...state, isReady: true, servers, channels, conversations, members: {}, lost };
}

function withoutServer(state: State, serverId: string, why: Lost["why"]): State {
  const server = state.servers[serverId];
  if (server === undefined) return state;
  const channels = Object.entries(state.channels).filter(([, channel]) => channel.serverId !== serverId);
  return {
    ...state,
    servers: without(state.servers, serverId),
    channels: Object.fromEntries(channels),
    lost: { ...state.lost, [serverId]: { name: server.name, why } },
  };
}

function withMember(state: State, member: Member): State {
  const { serverId, userId } = member;
  const server = state.servers[serverId];
  const servers =
    server !== undefined && userId === state.me?.userId
      ? { ...state.servers, [serverId]: { ...server, role: member.role } }
      : state.servers;
  const members = state.members[serverId];
  if (members === undefined) return { ...state, servers };
  return { ...state, servers, members: { ...state.members, [serverId]: { ...members, [userId]: member } } };
}

function withConversation(state: State, conversation: Conversation): State {
  return { ...state, conversations: { ...state.conversations, [conversation.convoId]: conversation } };
}

/** Apply a new message: unread unless the user wrote it or is viewing the end of the room. */
function withNewMessage(state: State, message: LiveMessage): State {
  const room: RoomRef = { kind: message.roomKind, id: message.roomId };
  const isMine = message.authorId === state.me?.userId;
  const isSeen = isMine || state.viewing === roomKey(room);
  const count = (unread: Unread): Unread =>
    isSeen
      ? unread
      : {
          ...unread,
          count: unread.count + 1,
          mentions:
            unread.mentions + (state.me !== null && message.mentions.includes(state.me.userId) ? 1 : 0),
        };
  if (room.kind === "channel") {
    const channel = state.channels[room.id];
    if (channel === undefined || isOld(message, channel.lastMessageId)) return state;
    const fresh = { ...channel, lastMessageId: message.messageId, unread: count(channel.unread) };
    return { ...state, channels: { ...state.channels, [room.id]: fresh } };
  }
  const conversation = state.conversations[room.id];
  if (room.kind !== "conversation" || conversation === undefined) return state;
  if (isOld(message, conversation.lastMessageId)) return state;
  return withConversation(state, {
    ...conversation,
    lastMessageId: message.messageId,
    lastMessageBody: message.content,
    lastMessageSender: message.authorId,
    lastMessageAt: message.createdAt,
    updatedAt: message.createdAt,
    unread: count(conversation.unread),
  });
}

/** Mark channels with new messages that no event delivers as unread; their number is not known. */
function withActivity(state: State, activity: ChannelActivity): State {
  const fresh: Record<string, ChannelEntry> = {};
  for (const { channelId, until } of activity.channels) {
    const channel = state.channels[channelId];
    if (channel === undefined || until === null || until <= (channel.lastMessageId ?? "")) continue;
    const isSeen = state.viewing === roomKey({ kind: "channel", id: channelId });
    const { unread } = channel;
    fresh[channelId] = {
      ...channel,
      lastMessageId: until,
      unread: isSeen ? unread : { ...unread, count: Math.max(1, unread.count), capped: true },
    };
  }
  return { ...state, channels: { ...state.channels, ...fresh } };
}

function isOld(message: LiveMessage, lastMessageId: string | null): boolean {
  return lastMessageId !== null && message.messageId <= lastMessageId;
}

function newest(one: string | null, other: string | null): string | null {
  return (one ?? "") > (other ?? "") ? one : other;
}

function withRead(state: State, room: RoomRef, lastRead: string | null, unread: Unread | null): State {
  if (room.kind === "channel") {
    const channel = state.channels[room.id];
    if (channel === undefined) return state;
    const fresh = {
      ...channel,
      lastReadMessageId: newest(channel.lastReadMessageId, lastRead),
      unread: unread ?? channel.unread,
    };
    return { ...state, channels: { ...state.channels, [room.id]: fresh } };
  }
  const conversation = state.conversations[room.id];
  if (conversation === undefined || unread === null) return state;
  return withConversation(state, { ...conversation, unread });
}

function withMuted(state: State, room: RoomRef, muted: boolean): State {
  const channel = room.kind === "channel" ? state.channels[room.id] : undefined;
  if (channel) return { ...state, channels: { ...state.channels, [room.id]: { ...channel, muted } } };
  const conversation = state.conversations[room.id];
  return conversation === undefined ? state : withConversation(state, { ...conversation, muted });
}
