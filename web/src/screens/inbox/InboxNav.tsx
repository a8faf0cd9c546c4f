// The sidebar of inboxes: categories with their unread counts.
import { Link } from "wouter";
import { muteCategory } from "../../actions/inboxes";
import type { ReadyInbox } from "../../live/frames";
import { inboxesOf } from "../../store/inboxes";
import { sameList, useStore } from "../../store/store";
import { Icon } from "../../view/Icon";
import { MenuButton } from "../../view/Menu";
import { toastError } from "../../view/toasts";
import { ListSkeleton } from "../ListSkeleton";
import type { Params } from "../routes";
import { inboxName, inboxPath } from "./paths";

export function InboxNav({ params }: { params: Params }) {
  const inboxes = useStore(inboxesOf, sameList);
  const isReady = useStore((state) => state.isReady);
  if (!isReady) return <ListSkeleton />;
  const here = params["inbox"] ?? inboxes[0]?.inbox;
  return (
    <nav className="sidebar-body" aria-label="Inbox">
      <header className="sidebar-head">
        <h1>Inbox</h1>
      </header>
      {inboxes.map((inbox) => (
        <section key={inbox.inbox} aria-label={inboxName(inbox)}>
          {inboxes.length > 1 && <h2 className="sidebar-label">{inboxName(inbox)}</h2>}
          <Categories inbox={inbox} isHere={inbox.inbox === here} category={params["category"]} />
        </section>
      ))}
    </nav>
  );
}

function Categories({
  inbox,
  isHere,
  category,
}: {
  inbox: ReadyInbox;
  isHere: boolean;
  category: string | undefined;
}) {
  const categories = Object.entries(inbox.categories).sort(([a], [b]) => a.localeCompare(b));
  return (
    <ul className="rooms">
      <li>
        <Entry
          href={inboxPath(inbox.inbox, null)}
          name="All"
          total={inbox.total}
          unread={inbox.unread}
          isHere={isHere && category === undefined}
          isMuted={false}
        />
      </li>
      {categories.map(([name, counts]) => (
        <li key={name} className="category">
          <Entry
            href={inboxPath(inbox.inbox, name)}
            name={name}
            total={counts.total}
            unread={counts.unread}
            isHere={isHere && category === name}
            isMuted={counts.muted}
          />
          <MenuButton
            label={`Options for ${name}`}
            items={[
              {
                label: counts.muted ? "Unmute category" : "Mute category",
                icon: counts.muted ? "bell" : "bellOff",
                onChoose: () => void muteCategory(inbox, name, !counts.muted).catch(toastError),
              },
            ]}
          />
        </li>
      ))}
    </ul>
  );
}

interface EntryProps {
  href: string;
  name: string;
  total: number;
  unread: number;
  isHere: boolean;
  isMuted: boolean;
}

function Entry({ href, name, total, unread, isHere, isMuted }: EntryProps) {
  const isLoud = unread > 0 && !isMuted;
  return (
    <Link
      href={href}
      className={isLoud ? "room-link room-unread" : "room-link"}
      aria-current={isHere ? "page" : undefined}
      title={`${total} total`}
    >
      <Icon name={isMuted ? "bellOff" : "inbox"} size={17} />
      <span className="room-name">{name}</span>
      {unread > 0 && (
        <span className={isLoud ? "badge badge-mention" : "badge"}>
          {unread > 99 ? "99+" : unread}
          <span className="hidden-text"> unread</span>
        </span>
      )}
    </Link>
  );
}
