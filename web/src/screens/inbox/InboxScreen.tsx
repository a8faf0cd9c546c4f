// The notifications of an inbox: all, unread, or of one category.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { loadInbox, readAll } from "../../actions/inboxes";
import { errorText } from "../../api/problems";
import type { ReadyInbox } from "../../live/frames";
import { inboxesOf, sameFilter } from "../../store/inboxes";
import { sameList, useStore } from "../../store/store";
import { toastError, toast } from "../../view/toasts";
import { LoadingScreen } from "../LoadingScreen";
import { NotFound } from "../NotFound";
import type { Params } from "../routes";
import { DrawerButton } from "../RoomHeader";
import { InboxRow } from "./InboxRow";
import { inboxName } from "./paths";

export default function InboxScreen({ params }: { params: Params }) {
  const inboxes = useStore(inboxesOf, sameList);
  const isReady = useStore((state) => state.isReady);
  const inbox =
    inboxes.find((each) => each.inbox === params["inbox"]) ??
    (params["inbox"] === undefined ? inboxes[0] : undefined);
  if (!isReady)
    return (
      <LoadingScreen>
        <InboxSkeleton />
      </LoadingScreen>
    );
  if (inbox === undefined)
    return (
      <NotFound home={false} title="No notifications yet" description="New notifications appear here." />
    );
  return (
    <Open
      key={`${inbox.inbox} ${params["category"] ?? ""}`}
      inbox={inbox}
      category={params["category"] ?? null}
    />
  );
}

function Open({ inbox, category }: { inbox: ReadyInbox; category: string | null }) {
  const [isUnread, setUnread] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const snapshots = useStore((state) => state.snapshots);
  const filter = { category, unread: isUnread };
  const found = useStore((state) => state.inboxLists[inbox.inbox]);
  const list = found !== undefined && sameFilter(found.filter, filter) ? found : undefined;
  const { tenant, inbox: name } = inbox;
  useEffect(() => {
    loadInbox({ tenant, inbox: name }, { category, unread: isUnread }, null).then(
      () => setError(null),
      setError,
    );
  }, [tenant, name, category, isUnread, snapshots]);
  const unread = category === null ? inbox.unread : (inbox.categories[category]?.unread ?? 0);
  const markAll = () =>
    void readAll(inbox, category).then(
      (count) => toast(`${count} ${count === 1 ? "notification" : "notifications"} marked as read`),
      toastError,
    );
  return (
    <div className="screen">
      <header className="room-header inbox-header">
        <DrawerButton />
        <h2>{category ?? inboxName(inbox)}</h2>
        <span className="spring" />
        <div className="segments" role="group" aria-label="Filter">
          <button type="button" aria-pressed={!isUnread} onClick={() => setUnread(false)}>
            All
          </button>
          <button type="button" aria-pressed={isUnread} onClick={() => setUnread(true)}>
            Unread
            {unread > 0 && <span className="wide-only">({unread > 99 ? "99+" : unread})</span>}
          </button>
        </div>
        <button
          type="button"
          className="button button-small inbox-mark-all"
          disabled={unread === 0}
          onClick={markAll}
        >
          Mark all<span className="wide-only"> as read</span>
        </button>
      </header>
      <div className="inbox">
        {error !== null && list === undefined && (
          <p className="form-error" role="alert">
            {errorText(error)}
          </p>
        )}
        {list === undefined && error === null && <InboxSkeleton />}
        {list?.messages.length === 0 && (
          <div className="empty">
            <h2>{isUnread ? "You're all caught up" : "No notifications"}</h2>
            <p>{isUnread ? "No unread notifications." : "New notifications appear here."}</p>
          </div>
        )}
        {list !== undefined && list.messages.length > 0 && (
          <ul className="inbox-list" aria-label="Notifications" onKeyDown={walk}>
            {list.messages.map((message) => (
              <InboxRow
                key={message.messageId}
                inbox={inbox}
                message={message}
                isOpen={opened === message.messageId}
                onOpen={(isOpen) => setOpened(isOpen ? message.messageId : null)}
              />
            ))}
          </ul>
        )}
        {list?.next != null && <Older inbox={inbox} filter={filter} next={list.next} />}
      </div>
      <Announcer inbox={name} />
    </div>
  );
}

function Older({
  inbox,
  filter,
  next,
}: {
  inbox: ReadyInbox;
  filter: { category: string | null; unread: boolean };
  next: string;
}) {
  const [isBusy, setBusy] = useState(false);
  const more = () => {
    setBusy(true);
    void loadInbox(inbox, filter, next)
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <button type="button" className="button inbox-older" disabled={isBusy} onClick={more}>
      Load older
    </button>
  );
}

/** Announces new notifications to screen readers. */
function Announcer({ inbox }: { inbox: string }) {
  const newest = useStore((state) => state.inboxLists[inbox]?.messages[0]);
  const opened = useRef(Date.now());
  const isFresh = newest !== undefined && Date.parse(newest.receivedAt) > opened.current;
  return (
    <div className="hidden-text" aria-live="polite">
      {isFresh ? `${newest.sender}: ${newest.title}` : ""}
    </div>
  );
}

function InboxSkeleton() {
  return (
    <div className="inbox-list" aria-hidden="true">
      {[62, 48, 71, 55, 66].map((width) => (
        <div key={width} className="inbox-skeleton">
          <div className="skeleton skeleton-name" />
          <div className="skeleton skeleton-line" style={{ width: `${width}%` }} />
        </div>
      ))}
    </div>
  );
}

/** Arrow keys move between notifications. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || event.altKey) return;
  const heads = [...event.currentTarget.querySelectorAll<HTMLElement>(".inbox-head")];
  const at = heads.findIndex((each) => each.closest("li")?.contains(document.activeElement) === true);
  const next = heads[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
