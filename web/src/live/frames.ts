// Short names for the frames and events of the gateway schema. Events are a closed union.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Events = Schemas["Events"];
export type LiveEvent = { [T in keyof Events]: { t: T; d: Events[T] } }[keyof Events];

/** A frame of the server. Events of a newer server that are not in the union are ignored. */
export type Frame =
  | Schemas["DispatchFrame"]
  | Schemas["HelloFrame"]
  | Schemas["HeartbeatAckFrame"]
  | Schemas["ReconnectFrame"]
  | Schemas["ResultFrame"]
  | Schemas["InvalidSessionFrame"];

/** A frame of this client. */
export type ClientFrame =
  Schemas["IdentifyFrame"] | Schemas["HeartbeatFrame"] | Schemas["ResumeFrame"] | Schemas["WatchFrame"];

export type Reconnect = Schemas["Reconnect"];
export type Ready = Events["ready"];
export type ReadyChannel = Schemas["ReadyChannel"];
export type ReadyInbox = Schemas["ReadyInbox"];
export type ChannelActivity = Events["channel.activity"];
export type LiveMessage = Schemas["LiveMessage"];

/** Identifies an inbox: its tenant and its name. */
export type InboxRef = Pick<ReadyInbox, "tenant" | "inbox">;

/** The token was refused or has expired: identify with a new one, without a resume. */
export const TOKEN_REFUSED = 4004;
