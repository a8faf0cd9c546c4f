// The changes of the state: the events of the gateway, and the actions and responses of this client.
import type {
  Conversation,
  Me,
  Member,
  Message,
  Person,
  Pin,
  Reader,
  RoomRef,
  Server,
  ServerRole,
  Unread,
} from "../api/shapes";
import type { LiveEvent, ReadyChannel } from "../live/frames";
import type { Link } from "../live/gateway";
import type { OwnCommandChanges } from "./commands";
import type { OwnInboxChanges } from "./inboxes";
import type { Outgoing, RoomKey } from "./state";
import type { OwnThreadChanges } from "./threads";
import type { OwnWorkspaceChanges } from "./workspaces";

interface Own extends OwnThreadChanges, OwnInboxChanges, OwnWorkspaceChanges, OwnCommandChanges {
  "own.link": { link: Link };
  "own.session": { me: Me | null };
  "own.opened": { room: RoomKey | null };
  "own.viewing": { room: RoomKey | null };
  /** A loaded page. `replace` drops the loaded messages, for a page that does not adjoin them. */
  "own.page": {
    room: RoomRef;
    messages: readonly Message[];
    where: "replace" | "older" | "newer";
    hasOlder?: boolean;
    hasNewer?: boolean;
  };
  "own.forgotten": { room: RoomRef };
  "own.queued": { outgoing: Outgoing };
  "own.outgoing": { nonce: string; state: Outgoing["state"]; why?: string };
  "own.sent": { nonce: string; message: Message };
  "own.withdrawn": { nonce: string };
  "own.reacted": { room: RoomRef; messageId: string; emoji: string; me: boolean };
  "own.unread": { room: RoomRef; lastReadMessageId: string | null; unread: Unread };
  "own.muted": { room: RoomRef; muted: boolean };
  "own.members": { serverId: string; members: readonly Member[] };
  "own.readers": { room: RoomRef; readers: readonly Reader[] };
  "own.server": { server: Server; role: ServerRole; channels: readonly ReadyChannel[] };
  "own.conversation": { conversation: Conversation };
  "own.person": { person: Person };
  "own.pins": { room: RoomRef; pins: readonly Pin[] };
}

export type OwnChange = { [T in keyof Own]: { t: T; d: Own[T] } }[keyof Own];
export type Change = LiveEvent | OwnChange;
