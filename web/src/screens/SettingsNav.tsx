// The sidebar of the user settings.
import { Link } from "wouter";
import { Icon, type IconName } from "../view/Icon";
import type { Params } from "./routes";

export const TABS: readonly { tab: string; title: string; icon: IconName }[] = [
  { tab: "profile", title: "Profile", icon: "person" },
  { tab: "appearance", title: "Appearance", icon: "smile" },
  { tab: "security", title: "Password and sessions", icon: "shield" },
];

export function SettingsNav({ params }: { params: Params }) {
  const current = params["tab"] ?? "profile";
  return (
    <nav className="sidebar-body" aria-label="Settings">
      <header className="sidebar-head">
        <h1>Settings</h1>
      </header>
      <ul className="rooms">
        {TABS.map(({ tab, title, icon }) => (
          <li key={tab}>
            <Link
              href={`/settings/${tab}`}
              className="room-link"
              aria-current={tab === current ? "page" : undefined}
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
