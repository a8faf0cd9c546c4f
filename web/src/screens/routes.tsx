// The routes of signed-in users: path, sidebar and screen. A new screen is a new line here, and one in RAIL if it has
// a button on the rail.
import { lazy, type ComponentType } from "react";
import { conversationTally, type Tally } from "../store/selectors";
import { inboxTally } from "../store/inboxes";
import type { State } from "../store/state";
import { threadTally } from "../store/threads";
import type { IconName } from "../view/Icon";
import { AdminNav } from "./admin/AdminNav";
import { ChannelList } from "./ChannelList";
import { ChannelScreen } from "./ChannelScreen";
import { ConversationList } from "./ConversationList";
import { ConversationScreen } from "./ConversationScreen";
import { Home } from "./Home";
import { SettingsNav } from "./SettingsNav";
import { InboxNav } from "./inbox/InboxNav";
import { ThreadList } from "./threads/ThreadList";
import { WorkspaceList } from "./workspaces/WorkspaceList";

const AdminScreen = lazy(() => import("./admin/AdminScreen"));
const Settings = lazy(() => import("./Settings"));
const ThreadScreen = lazy(() => import("./threads/ThreadScreen"));
const InboxScreen = lazy(() => import("./inbox/InboxScreen"));
const WorkspaceScreen = lazy(() => import("./workspaces/WorkspaceScreen"));

/** The parameters of the path. */
export type Params = Record<string, string | undefined>;

export interface ScreenRoute {
  path: string;
  sidebar: ComponentType<{ params: Params }>;
  screen: ComponentType<{ params: Params }>;
}

export const ROUTES: readonly ScreenRoute[] = [
  { path: "/c/:serverId/:channelId?/:messageId?", sidebar: ChannelList, screen: ChannelScreen },
  { path: "/d/:convoId/:messageId?", sidebar: ConversationList, screen: ConversationScreen },
  { path: "/t/:threadId?/:messageId?", sidebar: ThreadList, screen: ThreadScreen },
  { path: "/inbox/:inbox?/:category?", sidebar: InboxNav, screen: InboxScreen },
  { path: "/w/:workspaceId?/:part?", sidebar: WorkspaceList, screen: WorkspaceScreen },
  { path: "/admin/:tab?", sidebar: AdminNav, screen: AdminScreen },
  { path: "/settings/:tab?", sidebar: SettingsNav, screen: Settings },
  { path: "/", sidebar: ConversationList, screen: Home },
];

export interface RailEntry {
  path: string;
  /** Other path prefixes at which this entry is current. */
  below: readonly string[];
  label: string;
  icon: IconName;
  tally: (state: State) => Tally;
  /** Whether the user sees it; by default all users do. */
  isFor?: (state: State) => boolean;
}

/** For entries without counts. */
const noTally = (): Tally => ({ unread: false, mentions: 0 });

export const RAIL: readonly RailEntry[] = [
  { path: "/", below: ["/d/"], label: "Conversations", icon: "chat", tally: conversationTally },
  { path: "/t", below: ["/t/"], label: "Threads", icon: "handshake", tally: threadTally },
  { path: "/inbox", below: ["/inbox/"], label: "Inbox", icon: "inbox", tally: inboxTally },
  { path: "/w", below: ["/w/"], label: "Workspaces", icon: "board", tally: noTally },
  {
    path: "/admin",
    below: ["/admin/"],
    label: "Moderation",
    icon: "shield",
    tally: noTally,
    isFor: (state) => state.me?.isAdmin === true,
  },
];
