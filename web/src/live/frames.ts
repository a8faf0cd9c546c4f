// The frames of the gateway, as documented in the API. Events are a closed union.
import type {
  Channel,
  Conversation,
  Me,
  Member,
  Message,
  Participant,
  RoomKind,
  Server,
  ServerRole,
  Unread,
} from "../api/shapes";
import type { InboxEvents, ReadyInboxes } from "./inboxes";
import type { ReadyThreads, ThreadEvents } from "./threads";
import type { ReadyWorkspaces, WorkspaceEvents } from "./workspaces";

interface RoomAddress {
  roomId: string;
  roomKind: RoomKind;
}

export interface ReadyChannel extends Channel {
  unread: Unread;
  lastReadMessageId: string | null;
  muted: boolean;
}

export interface ReadyServer extends Server {
  role: ServerRole;
  channels: ReadyChannel[];
}

export interface Ready extends ReadyThreads, ReadyInboxes, ReadyWorkspaces {
  sessionId: string;
  user: Me;
  servers: ReadyServer[];
  conversations: Conversation[];
  /** Absent if the server does not track presence. */
  presences?: { userId: string; status: "online" | "offline" }[];
  expiresAt?: string;
}

export interface Gap {
  since: string;
  rooms: (RoomAddress & { after: string | null; until: string | null })[];
}

export interface ReactionChange extends RoomAddress {
  messageId: string;
  emoji: string;
  userId: string;
  count: number;
  userIds: string[];
}

/** `role` is the side of a participant in a thread. */
type ParticipantChange = RoomAddress &
  Pick<Participant, "userId" | "username" | "avatarUrl" | "joinedAt"> & {
    role?: string;
    blockedUntil?: string | null;
  };

/** The payload of `conversation.created` and `conversation.updated`: the fields that are the same for all participants. */
export type ConversationCore = Pick<
  Conversation,
  | "convoId"
  | "type"
  | "name"
  | "lastMessageId"
  | "lastMessageBody"
  | "lastMessageSender"
  | "lastMessageAt"
  | "participantCount"
  | "createdBy"
  | "createdAt"
  | "updatedAt"
>;

export interface Events extends ThreadEvents, InboxEvents, WorkspaceEvents {
  ready: Ready;
  resumed: Record<string, never>;
  renewed: { expiresAt: string };
  gap: Gap;
  "message.created": Message;
  "message.updated": Message;
  "message.deleted": RoomAddress & { messageId: string };
  "reaction.added": ReactionChange;
  "reaction.removed": ReactionChange;
  "pin.added": RoomAddress & { messageId: string; pinnedBy: string; pinnedAt: string };
  "pin.removed": RoomAddress & { messageId: string };
  "read.updated": RoomAddress & { userId: string; lastReadMessageId: string; readAt: string };
  "preferences.updated": RoomAddress & { muted: boolean };
  "typing.started": RoomAddress & { userId: string; username: string };
  "typing.stopped": RoomAddress & { userId: string };
  "presence.updated": { userId: string; status: "online" | "offline" };
  "server.created": Server;
  "server.updated": Server;
  "server.deleted": { serverId: string };
  "channel.created": Channel;
  "channel.updated": Channel;
  "channel.deleted": { channelId: string; serverId: string };
  "member.joined": Member;
  "member.updated": Member;
  "member.left": { serverId: string; userId: string };
  "conversation.created": ConversationCore;
  "conversation.updated": ConversationCore;
  "conversation.deleted": { convoId: string };
  "participant.joined": ParticipantChange;
  "participant.updated": ParticipantChange;
  "participant.left": RoomAddress & { userId: string };
  "user.updated": Pick<Me, "userId" | "username" | "avatarUrl" | "updatedAt">;
}

export type LiveEvent = { [T in keyof Events]: { t: T; d: Events[T] } }[keyof Events];

/** A frame of the server. Events of a newer server that are not in the union are ignored. */
export type Frame =
  | { op: 0; t: string; s?: string; id?: string; d: unknown }
  | { op: 7 }
  | { op: 9; d: boolean }
  | { op: 10; d: { heartbeatInterval: number } }
  | { op: 11 };

export const IDENTIFY = 2;
export const HEARTBEAT = 1;
export const RESUME = 6;

/** The token was refused or has expired: identify with a new one, without a resume. */
export const TOKEN_REFUSED = 4004;
