// Unread threads and notifications, on the home screen.
import { Link } from "wouter";
import { inboxTally } from "../store/inboxes";
import { sameList, useStore } from "../store/store";
import { threadsOf } from "../store/threads";
import { Icon } from "../view/Icon";
import { ThreadLink } from "./threads/ThreadList";

const SHOWN = 4;

export function UnreadSummary() {
  const threads = useStore(
    (state) =>
      threadsOf(state)
        .filter((each) => each.unread.count > 0 && !each.muted)
        .slice(0, SHOWN),
    sameList,
  );
  const unread = useStore((state) => inboxTally(state).mentions);
  if (threads.length === 0 && unread === 0) return null;
  return (
    <section aria-label="Inbox and threads">
      <h3 className="sidebar-label">Inbox and threads</h3>
      <ul className="rooms">
        {unread > 0 && (
          <li>
            <Link href="/inbox" className="conversation-link room-unread">
              <span className="rail-icon">
                <Icon name="inbox" />
              </span>
              <span className="room-name">
                {unread} unread {unread === 1 ? "notification" : "notifications"}
              </span>
            </Link>
          </li>
        )}
        {threads.map((thread) => (
          <li key={thread.threadId}>
            <ThreadLink thread={thread} isHere={false} />
          </li>
        ))}
      </ul>
    </section>
  );
}
