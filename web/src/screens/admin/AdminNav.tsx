// The sidebar of the moderation queue.
import { Link } from "wouter";
import { useStore } from "../../store/store";
import { Icon } from "../../view/Icon";
import { ConversationList } from "../ConversationList";
import type { Params } from "../routes";

const TABS = [
  { tab: "", title: "Open cases", icon: "inbox" },
  { tab: "closed", title: "Decided cases", icon: "check" },
] as const;

export function AdminNav({ params }: { params: Params }) {
  const isAdmin = useStore((state) => state.me?.isAdmin === true);
  if (!isAdmin) return <ConversationList params={{}} />;
  return (
    <nav className="sidebar-body" aria-label="Moderation">
      <header className="sidebar-head">
        <h1>Moderation</h1>
      </header>
      <ul className="rooms">
        {TABS.map(({ tab, title, icon }) => (
          <li key={tab}>
            <Link
              href={tab === "" ? "/admin" : `/admin/${tab}`}
              className="room-link"
              aria-current={tab === (params["tab"] ?? "") ? "page" : undefined}
            >
              <Icon name={icon} size={17} />
              <span className="room-name">{title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
