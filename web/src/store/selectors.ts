// Selectors that several screens share.
import type { Conversation, Person, RoomRef, ServerRole } from "../api/shapes";
import type { ChannelEntry, ServerEntry, State } from "./state";
import { shownName } from "../view/names";

export function serversOf(state: State): ServerEntry[] {
  return Object.values(state.servers).sort((a, b) => (a.serverId < b.serverId ? -1 : 1));
}

/** The channels of a community, oldest first. */
export function channelsOf(state: State, serverId: string): ChannelEntry[] {
  return Object.values(state.channels)
    .filter((each) => each.serverId === serverId)
    .sort((a, b) => (a.channelId < b.channelId ? -1 : 1));
}

/** Conversations, most recent first. */
export function conversationsOf(state: State): Conversation[] {
  const at = (each: Conversation) => each.lastMessageAt ?? each.createdAt;
  return Object.values(state.conversations).sort((a, b) => (at(a) > at(b) ? -1 : 1));
}

export function conversationName(conversation: Conversation): string {
  return conversation.name ?? (conversation.other == null ? "Unnamed group" : shownName(conversation.other));
}

/** Users whose username or display name contains a text, those that start with it first. */
export function peopleNamed(state: State, letters: string): Person[] {
  const wanted = letters.toLowerCase();
  const names = (each: Person) => [each.username.toLowerCase(), shownName(each).toLowerCase()];
  const starts = (each: Person) => Number(names(each).some((name) => name.startsWith(wanted)));
  return Object.values(state.people)
    .filter((each) => each.userId !== state.me?.userId && names(each).some((name) => name.includes(wanted)))
    .sort((a, b) => starts(b) - starts(a) || shownName(a).localeCompare(shownName(b)));
}

export function hasUnread(room: { unread: { count: number }; muted: boolean }): boolean {
  return room.unread.count > 0 && !room.muted;
}

export interface Tally {
  unread: boolean;
  mentions: number;
}

export function serverTally(state: State, serverId: string): Tally {
  const channels = channelsOf(state, serverId);
  return {
    unread: channels.some(hasUnread),
    mentions: channels.reduce((sum, each) => sum + each.unread.mentions, 0),
  };
}

/** In conversations every unread message counts. */
export function conversationTally(state: State): Tally {
  const counted = Object.values(state.conversations).filter(hasUnread);
  return { unread: counted.length > 0, mentions: counted.reduce((sum, each) => sum + each.unread.count, 0) };
}

/** The entry of a room of any kind, if loaded. */
export function roomEntry(state: State, room: RoomRef) {
  if (room.kind === "channel") return state.channels[room.id];
  return room.kind === "thread" ? state.threads[room.id] : state.conversations[room.id];
}

export function roomPath(state: State, room: RoomRef): string {
  if (room.kind === "thread") return `/t/${room.id}`;
  if (room.kind === "conversation") return `/d/${room.id}`;
  return `/c/${state.channels[room.id]?.serverId ?? ""}/${room.id}`;
}

const RANK: Record<ServerRole, number> = { member: 0, moderator: 1, admin: 2, owner: 3 };

/** Members act only on lower roles. */
export function outranks(one: ServerRole, other: ServerRole): boolean {
  return RANK[one] > RANK[other];
}

export function isAtLeast(role: ServerRole | undefined, least: ServerRole): boolean {
  return role !== undefined && RANK[role] >= RANK[least];
}
