// Every place inside the client: its address, its sidebar and its screen. A new screen is a new line here; if it has a
// button on the rail, it also has a line in RAIL.
import { lazy, type ComponentType } from "react";
import { conversationTally, type Tally } from "../store/selectors";
import type { State } from "../store/state";
import type { IconName } from "../view/Icon";
import { ChannelList } from "./ChannelList";
import { ChannelScreen } from "./ChannelScreen";
import { ConversationList } from "./ConversationList";
import { ConversationScreen } from "./ConversationScreen";
import { Home } from "./Home";
import { SettingsNav } from "./SettingsNav";

const Settings = lazy(() => import("./Settings"));

/** What stood in the address. */
export type Params = Record<string, string | undefined>;

export interface Place {
  path: string;
  sidebar: ComponentType<{ params: Params }>;
  screen: ComponentType<{ params: Params }>;
}

export const PLACES: readonly Place[] = [
  { path: "/c/:serverId/:channelId?/:messageId?", sidebar: ChannelList, screen: ChannelScreen },
  { path: "/d/:convoId/:messageId?", sidebar: ConversationList, screen: ConversationScreen },
  { path: "/settings/:tab?", sidebar: SettingsNav, screen: Settings },
  { path: "/", sidebar: ConversationList, screen: Home },
];

export interface RailEntry {
  path: string;
  /** Other addresses at which this entry is the current one. */
  below: readonly string[];
  label: string;
  icon: IconName;
  tally: (state: State) => Tally;
}

export const RAIL: readonly RailEntry[] = [
  { path: "/", below: ["/d/"], label: "Conversations", icon: "chat", tally: conversationTally },
];
