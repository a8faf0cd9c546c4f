// A sidebar that lists the tabs of a screen.
import { Link } from "wouter";
import { Icon, type IconName } from "../view/Icon";

export interface Tab {
  tab: string;
  title: string;
  icon: IconName;
}

interface TabNavProps {
  title: string;
  /** The path of the screen; a tab without a name is the screen itself. */
  path: string;
  tabs: readonly Tab[];
  current: string;
}

export function TabNav({ title, path, tabs, current }: TabNavProps) {
  return (
    <nav className="sidebar-body" aria-label={title}>
      <header className="sidebar-head">
        <h1>{title}</h1>
      </header>
      <ul className="rooms">
        {tabs.map(({ tab, title: label, icon }) => (
          <li key={tab}>
            <Link
              href={tab === "" ? path : `${path}/${tab}`}
              className="room-link"
              aria-current={tab === current ? "page" : undefined}
            >
              <Icon name={icon} size={17} />
              <span className="room-name">{label}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
