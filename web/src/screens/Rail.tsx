// The rail: the main sections and the communities, with their unread state.
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { serversOf, serverTally, type Tally } from "../store/selectors";
import type { ServerEntry } from "../store/state";
import { sameList, useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Icon, IconButton } from "../view/Icon";
import { NewCommunity } from "./NewCommunity";
import { RAIL, type RailEntry } from "./routes";

export function Rail({ onSearch }: { onSearch: () => void }) {
  const servers = useStore(serversOf, sameList);
  const isReady = useStore((state) => state.isReady);
  const [isCreating, setCreating] = useState(false);
  return (
    <nav className="rail" aria-label="Communities">
      <ul>
        {RAIL.map((entry) => (
          <Entry key={entry.path} entry={entry} />
        ))}
        <li className="rail-line" aria-hidden="true" />
        {servers.map((server) => (
          <Community key={server.serverId} server={server} />
        ))}
        {!isReady && [0, 1, 2].map((each) => <li key={each} className="skeleton rail-skeleton" />)}
        <li>
          <IconButton
            icon="plus"
            label="Create or join a community"
            className="rail-button"
            onClick={() => setCreating(true)}
          />
        </li>
      </ul>
      <IconButton icon="search" label="Jump to… (Ctrl K)" className="rail-button" onClick={onSearch} />
      {isCreating && <NewCommunity onClose={() => setCreating(false)} />}
    </nav>
  );
}

const sameTally = (a: Tally, b: Tally): boolean => a.unread === b.unread && a.mentions === b.mentions;

function Entry({ entry }: { entry: RailEntry }) {
  const [path] = useLocation();
  const tally = useStore(entry.tally, sameTally);
  const isShown = useStore((state) => entry.isFor?.(state) ?? true);
  const isHere = path === entry.path || entry.below.some((each) => path.startsWith(each));
  if (!isShown) return null;
  return (
    <RailLink href={entry.path} label={entry.label} isHere={isHere} tally={tally} unit="unread">
      <span className="rail-icon">
        <Icon name={entry.icon} size={23} />
      </span>
    </RailLink>
  );
}

function Community({ server }: { server: ServerEntry }) {
  const [path] = useLocation();
  const tally = useStore((state) => serverTally(state, server.serverId), sameTally);
  const isHere = path.startsWith(`/c/${server.serverId}`);
  return (
    <RailLink
      href={`/c/${server.serverId}`}
      label={server.name}
      isHere={isHere}
      tally={tally}
      unit="mentions"
    >
      <Avatar id={server.serverId} name={server.name} url={server.iconUrl} size={44} square />
    </RailLink>
  );
}

interface RailLinkProps {
  href: string;
  label: string;
  isHere: boolean;
  tally: Tally;
  /** What `tally.mentions` counts. */
  unit: string;
  children: React.ReactNode;
}

function RailLink({ href, label, isHere, tally, unit, children }: RailLinkProps) {
  const count = tally.mentions > 0 ? `, ${tally.mentions} ${unit}` : tally.unread ? ", unread" : "";
  return (
    <li className={tally.unread ? "rail-item rail-unread" : "rail-item"}>
      <Link href={href} title={label} aria-current={isHere ? "page" : undefined}>
        {children}
        <span className="hidden-text">
          {label}
          {count}
        </span>
        {tally.mentions > 0 && (
          <span className="badge badge-mention" aria-hidden="true">
            {tally.mentions > 99 ? "99+" : tally.mentions}
          </span>
        )}
      </Link>
    </li>
  );
}
