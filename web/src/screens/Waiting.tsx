// What waits in threads and in the inbox, at home.
import { Link } from "wouter";
import { inboxTally } from "../store/inboxes";
import { sameList, useStore } from "../store/store";
import { threadsOf } from "../store/threads";
import { Icon } from "../view/Icon";
import { ThreadLink } from "./threads/ThreadList";

const SHOWN = 4;

export function Waiting() {
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
    <section aria-label="Waiting for you">
      <h3 className="sidebar-label">Waiting for you</h3>
      <ul className="rooms">
        {unread > 0 && (
          <li>
            <Link href="/inbox" className="conversation-link room-unread">
              <span className="rail-icon">
                <Icon name="inbox" />
              </span>
              <span className="room-name">
                {unread === 1 ? "One message" : `${unread} messages`} in your inbox
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
