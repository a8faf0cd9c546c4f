// Short names for the types of the API schema.
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Me = Schemas["Me"];
export type SignedIn = Schemas["SignedInView"];
export type User = Schemas["UserView"];
export type Person = Schemas["PersonView"];
export type SessionRow = Schemas["SessionView"];
export type Server = Schemas["ServerView"];
export type Member = Schemas["MemberView"];
export type Access = Schemas["AccessView"];
export type AccessList = Pick<Access, "roles" | "userIds">;
export type ServerRole = Member["role"];
export type Command = Schemas["CommandView"];
export type CommandResponse = Schemas["ResponseView"];
export type Ban = Schemas["BanView"];
export type Channel = Schemas["ChannelView"];
export type Invite = Schemas["InviteView"];
export type Conversation = Schemas["ConversationView"];
export type Participant = Schemas["ParticipantView"];
export type Unread = Schemas["UnreadView"];
export type Reader = Schemas["ReaderView"];
export type Viewer = Schemas["ViewerView"];
export type Pin = Schemas["PinView"];
export type Reaction = Schemas["ReactionView"];
export type RoomKind = Message["roomKind"];

/** A file of a message; `GET /attachments` returns its download URL. */
export type Attachment = Schemas["MessageFile"];
export type Message = Schemas["MessageView"];

/** Identifies a room in the API and the store. */
export interface RoomRef {
  kind: RoomKind;
  id: string;
}

export type Case = Schemas["CaseView"];
export type CaseState = "open" | "closed";
export type CaseDecision = "approve" | "block";

/** An object with fields of another application. */
export type JsonObject = Readonly<Record<string, unknown>>;

export type Thread = Schemas["ThreadView"];
export type ThreadRole = NonNullable<Thread["roleContext"]>;
export type ThreadParticipant = Schemas["ThreadParticipantView"];
export type Card = Schemas["CardView"];
export type Tab = Omit<Schemas["TabView"], "content"> & { content: unknown };
export type TabName = Tab["tab"];
export type ThreadDocument = Schemas["Document"];
export type FullDocument = Schemas["DocumentInFull"];
export type Amendment = Schemas["Amendment"];
export type Expense = Schemas["Expense"];
export type ExpensePage = Schemas["ExpensePage"];
export type InboxMessage = Schemas["InboxMessageView"];
export type InboxCounts = Schemas["CountsView"];
export type Workspace = Schemas["OwnWorkspaceView"];
export type WorkspaceRole = Workspace["role"];
export type WorkspaceMember = Schemas["WorkspaceMemberView"];
export type WorkspaceInvite = Schemas["WorkspaceInviteView"];
export type Item = Schemas["ItemView"];
export type WorkspaceSetting = Schemas["SettingView"];
