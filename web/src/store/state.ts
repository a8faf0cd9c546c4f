// The state of the client, normalized: each entity once, by its id.
import type {
  Attachment,
  Channel,
  Conversation,
  Me,
  Member,
  Message,
  Person,
  Pin,
  RoomKind,
  RoomRef,
  Server,
  ServerRole,
  Unread,
} from "../api/shapes";
import type { Link } from "../live/gateway";
import { NO_COMMANDS, type Commands } from "./commands";
import { NO_INBOXES, type Inboxes } from "./inboxes";
import { NO_THREADS, type Threads } from "./threads";
import { NO_WORKSPACES, type Workspaces } from "./workspaces";

export type RoomKey = `${RoomKind}:${string}`;

export const roomKey = (room: RoomRef): RoomKey => `${room.kind}:${room.id}`;

export interface ServerEntry extends Server {
  role: ServerRole;
}

export interface ChannelEntry extends Channel {
  unread: Unread;
  lastReadMessageId: string | null;
  muted: boolean;
}

export interface Lost {
  name: string;
  why: "removed" | "deleted";
}

/** The read position of a user in a room. */
export interface Reading {
  userId: string;
  username: string;
  displayName: string | null;
  avatarUrl: string | null;
  lastReadMessageId: string | null;
  /** Only for conversations. */
  joinedAt?: string | null;
}

/** A contiguous part of the messages of a room, oldest first. */
export interface Log {
  messages: readonly Message[];
  hasOlder: boolean;
  hasNewer: boolean;
}

/** An unsent message: `waiting` for the network, or `failed` because the server refused it. */
export interface Outgoing {
  nonce: string;
  room: RoomRef;
  content: string;
  replyTo: string | null;
  attachments: Attachment[];
  createdAt: string;
  state: "sending" | "waiting" | "failed";
  why?: string;
}

export interface State extends Threads, Inboxes, Workspaces, Commands {
  me: Me | null;
  link: Link;
  /** Whether a `ready` has arrived; until then the screens show skeletons. */
  isReady: boolean;
  servers: Readonly<Record<string, ServerEntry>>;
  channels: Readonly<Record<string, ChannelEntry>>;
  /** Communities that the user is no longer a member of, and why. */
  lost: Readonly<Record<string, Lost>>;
  conversations: Readonly<Record<string, Conversation>>;
  people: Readonly<Record<string, Person>>;
  online: Readonly<Record<string, true>>;
  members: Readonly<Record<string, Readonly<Record<string, Member>>>>;
  readings: Readonly<Record<RoomKey, Readonly<Record<string, Reading>>>>;
  logs: Readonly<Record<RoomKey, Log>>;
  /** The newest messages of each room from events, to complete a page that was loading meanwhile. */
  recent: Readonly<Record<RoomKey, readonly Message[]>>;
  typing: Readonly<
    Record<RoomKey, Readonly<Record<string, { username: string; displayName: string | null; at: number }>>>
  >;
  outbox: readonly Outgoing[];
  /** The pinned messages of a room, once loaded. */
  pins: Readonly<Record<RoomKey, readonly Pin[]>>;
  /** The room on screen. */
  openRoom: RoomKey | null;
  /** The room whose end is in view: new messages there are read at once. */
  viewing: RoomKey | null;
}

export const NOTHING_UNREAD: Unread = { count: 0, capped: false, mentions: 0 };

export const EMPTY: State = {
  ...NO_THREADS,
  ...NO_INBOXES,
  ...NO_WORKSPACES,
  ...NO_COMMANDS,
  me: null,
  link: "connecting",
  isReady: false,
  servers: {},
  channels: {},
  lost: {},
  conversations: {},
  people: {},
  online: {},
  members: {},
  readings: {},
  logs: {},
  recent: {},
  typing: {},
  outbox: [],
  pins: {},
  openRoom: null,
  viewing: null,
};

/** A record without one of its entries. */
export function without<T>(record: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}
