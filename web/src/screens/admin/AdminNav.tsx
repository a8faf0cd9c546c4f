// The sidebar of the moderation queue.
import { useStore } from "../../store/store";
import { ConversationList } from "../ConversationList";
import type { Params } from "../routes";
import { TabNav, type Tab } from "../TabNav";

const TABS: readonly Tab[] = [
  { tab: "", title: "Open cases", icon: "inbox" },
  { tab: "closed", title: "Decided cases", icon: "check" },
];

export function AdminNav({ params }: { params: Params }) {
  const isAdmin = useStore((state) => state.me?.isAdmin === true);
  if (!isAdmin) return <ConversationList params={{}} />;
  return <TabNav title="Moderation" path="/admin" tabs={TABS} current={params["tab"] ?? ""} />;
}
