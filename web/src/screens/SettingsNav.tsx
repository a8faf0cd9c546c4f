// The sidebar of the user settings.
import type { Params } from "./routes";
import { TabNav, type Tab } from "./TabNav";

export const TABS: readonly Tab[] = [
  { tab: "profile", title: "Profile", icon: "person" },
  { tab: "appearance", title: "Appearance", icon: "smile" },
  { tab: "security", title: "Password and sessions", icon: "shield" },
];

export function SettingsNav({ params }: { params: Params }) {
  return <TabNav title="Settings" path="/settings" tabs={TABS} current={params["tab"] ?? "profile"} />;
}
