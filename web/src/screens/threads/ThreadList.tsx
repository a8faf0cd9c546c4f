// The sidebar of threads, most recent first.
import { useState } from "react";
import { Link } from "wouter";
import { usePerson } from "../../actions/users";
import { loadThreads } from "../../actions/threads";
import type { Thread } from "../../api/shapes";
import { otherParty, threadsOf } from "../../store/threads";
import { sameList, useStore } from "../../store/store";
import { Icon, IconButton } from "../../view/Icon";
import { PersonFace } from "../../view/Person";
import { shortTime } from "../../view/times";
import { toastError } from "../../view/toasts";
import { ListSkeleton } from "../ListSkeleton";
import type { Params } from "../routes";
import { UnreadBadge } from "../Unread";
import { NewThread } from "./NewThread";
import { kindName } from "./useThread";
import { shownName } from "../../view/names";

const FIRST_PAGE = 50;

export function ThreadList({ params }: { params: Params }) {
  const threads = useStore(threadsOf, sameList);
  const isReady = useStore((state) => state.isReady);
  const [isCreating, setCreating] = useState(false);
  if (!isReady) return <ListSkeleton />;
  const open = threads.filter((each) => each.status !== "archived");
  const archived = threads.filter((each) => each.status === "archived");
  return (
    <nav className="sidebar-body" aria-label="Threads">
      <header className="sidebar-head">
        <h1>Threads</h1>
        <IconButton icon="edit" label="New thread" onClick={() => setCreating(true)} />
      </header>
      {threads.length === 0 && <p className="note sidebar-note">No threads yet. Start one with a seller.</p>}
      <Threads threads={open} here={params["threadId"]} />
      {archived.length > 0 && (
        <details className="sidebar-fold">
          <summary className="sidebar-label">Archived ({archived.length})</summary>
          <Threads threads={archived} here={params["threadId"]} />
        </details>
      )}
      {threads.length >= FIRST_PAGE && <Older />}
      {isCreating && <NewThread onClose={() => setCreating(false)} />}
    </nav>
  );
}

function Threads({ threads, here }: { threads: readonly Thread[]; here: string | undefined }) {
  return (
    <ul className="rooms">
      {threads.map((thread) => (
        <li key={thread.threadId}>
          <ThreadLink thread={thread} isHere={thread.threadId === here} />
        </li>
      ))}
    </ul>
  );
}

export function ThreadLink({ thread, isHere }: { thread: Thread; isHere: boolean }) {
  const me = useStore((state) => state.me?.userId ?? "");
  const other = otherParty(thread, me);
  const person = usePerson(other);
  const isLoud = thread.unread.count > 0 && !thread.muted;
  return (
    <Link
      href={`/t/${thread.threadId}`}
      className={isLoud ? "conversation-link room-unread" : "conversation-link"}
      aria-current={isHere ? "page" : undefined}
    >
      <PersonFace userId={other} size={38} />
      <span className="conversation-text">
        <span className="conversation-top">
          <span className="room-name">{person === undefined ? "…" : shownName(person)}</span>
          <time className="note">{shortTime(thread.lastMessageAt ?? thread.createdAt)}</time>
        </span>
        <span className="conversation-last">
          {kindName(thread)}
          {thread.listingId !== null && ` · ${thread.listingId}`}
          {thread.city !== null && ` · ${thread.city}`}
        </span>
      </span>
      {thread.status === "locked" && <Icon name="lock" size={15} />}
      {thread.muted ? (
        <Icon name="bellOff" size={15} />
      ) : (
        <UnreadBadge unread={thread.unread} isLoud={isLoud} />
      )}
    </Link>
  );
}

/** Threads that `ready` did not include. */
function Older() {
  const [cursor, setCursor] = useState<string | null>(null);
  const [isDone, setDone] = useState(false);
  const [isBusy, setBusy] = useState(false);
  if (isDone) return null;
  const more = () => {
    setBusy(true);
    // The first page is already shown.
    (cursor === null ? loadThreads(null) : Promise.resolve(cursor))
      .then((from) => (from === null ? null : loadThreads(from)))
      .then((next) => (next === null ? setDone(true) : setCursor(next)), toastError)
      .finally(() => setBusy(false));
  };
  return (
    <button type="button" className="button button-small sidebar-invite" disabled={isBusy} onClick={more}>
      Load older threads
    </button>
  );
}
