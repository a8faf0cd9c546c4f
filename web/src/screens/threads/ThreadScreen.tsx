// A thread: its messages and cards, the project panel, and its participants.
import { useEffect, useMemo, useState } from "react";
import { usePerson } from "../../actions/users";
import { loadCards, loadSeats, loadThread, setStatus } from "../../actions/threads";
import type { Thread } from "../../api/shapes";
import { typesFor } from "../../cards/types";
import { otherParty } from "../../store/threads";
import { useStore } from "../../store/store";
import { Icon, type IconName } from "../../view/Icon";
import { MenuButton, type MenuItem } from "../../view/Menu";
import { PersonFace, PersonName } from "../../view/Person";
import { fullTime } from "../../view/times";
import { toastError } from "../../view/toasts";
import { NotFound } from "../NotFound";
import { LoadingRoom, RoomScreen, useNames } from "../RoomScreen";
import type { Params } from "../routes";
import { useOlder } from "../useOlder";
import { CardForm } from "./CardForm";
import { ProjectPanel } from "./ProjectPanel";
import { ThreadPeoplePanel } from "./ThreadPeoplePanel";
import { kindName, SIDES, useSeats, useMutedUntil } from "./useThread";
import { shownName } from "../../view/names";

export default function ThreadScreen({ params }: { params: Params }) {
  const { threadId, messageId } = params;
  const thread = useStore((state) => state.threads[threadId ?? ""]);
  const isTried = useOlder(threadId, thread !== undefined, loadThread);
  if (threadId === undefined)
    return (
      <NotFound
        home={false}
        title="Threads"
        description="Inquiries about listings, and projects with offers, files and documents."
      />
    );
  if (thread !== undefined) return <Open key={threadId} thread={thread} target={messageId ?? null} />;
  return isTried ? (
    <NotFound
      title="You're not in this thread"
      description="You left or were removed, or the link is wrong."
    />
  ) : (
    <LoadingRoom />
  );
}

function Open({ thread, target }: { thread: Thread; target: string | null }) {
  const { threadId } = thread;
  const snapshots = useStore((state) => state.snapshots);
  const me = useStore((state) => state.me?.userId ?? "");
  const seats = useSeats(threadId);
  const other = usePerson(otherParty(thread, me));
  const room = useMemo(() => ({ kind: "thread" as const, id: threadId }), [threadId]);
  const people = useMemo(() => Object.values(seats), [seats]);
  const names = useNames(people);
  useEffect(() => {
    void loadSeats(threadId).catch(() => undefined);
    void loadCards(threadId).catch(() => undefined);
  }, [threadId, snapshots]);

  const name = other === undefined ? "…" : shownName(other);
  const about = [kindName(thread), thread.listingId, thread.city].filter((each) => each !== null).join(" · ");
  const readOnly = useReadOnlyReason(thread);
  return (
    <RoomScreen
      room={room}
      path={`/t/${threadId}`}
      face={
        <span className="thread-face wide-only">
          <PersonFace userId={otherParty(thread, me)} size={28} />
        </span>
      }
      name={name}
      title={name}
      topic={about}
      muted={thread.muted}
      menu={<StatusMenu thread={thread} />}
      firstPanel={thread.kind === "project" ? "project" : null}
      names={names}
      people={people}
      canModerate={thread.roleContext === "admin"}
      canPin
      target={target}
      tools={<CardMenu thread={thread} />}
      {...(readOnly === null ? {} : { readOnly })}
      beginning={
        <>
          <h2>{name}</h2>
          <p>
            {about}
            {thread.roleContext !== null && `. You joined as ${SIDES[thread.roleContext].toLowerCase()}.`}
          </p>
        </>
      }
      peoplePanel={(onClose) => <ThreadPeoplePanel thread={thread} onClose={onClose} />}
      projectPanel={(onClose) => <ProjectPanel thread={thread} names={names} onClose={onClose} />}
    />
  );
}

/** Why the user cannot write in this thread, or null if they can. */
function useReadOnlyReason(thread: Thread) {
  const until = useMutedUntil(thread.threadId);
  if (thread.roleContext === null) return <p>You're not a participant of this thread.</p>;
  if (thread.status === "archived")
    return (
      <p>
        This thread is archived.{" "}
        <button
          type="button"
          className="button button-small"
          onClick={() => void setStatus(thread.threadId, "open").catch(toastError)}
        >
          Unarchive
        </button>
      </p>
    );
  if (thread.status === "locked")
    return (
      <p>
        <Icon name="lock" size={16} /> <PersonName userId={thread.lockedBy} /> locked this thread.
      </p>
    );
  if (until !== null) return <p>You're muted until {fullTime(until)}.</p>;
  return null;
}

const CARD_ICONS: Readonly<Record<string, IconName>> = {
  offer: "tag",
  booking: "calendar",
  delivery: "box",
  "payment-request": "money",
  amendment: "edit",
};

/** The card types that the user may create. */
function CardMenu({ thread }: { thread: Thread }) {
  const [type, setType] = useState<string | null>(null);
  const items: MenuItem[] = typesFor(thread.roleContext).map((each) => ({
    label: each.title,
    icon: CARD_ICONS[each.name] ?? "tag",
    onChoose: () => setType(each.name),
  }));
  return (
    <>
      <MenuButton label="Create card" icon="tag" items={items} />
      {type !== null && <CardForm threadId={thread.threadId} type={type} onClose={() => setType(null)} />}
    </>
  );
}

function StatusMenu({ thread }: { thread: Thread }) {
  const me = useStore((state) => state.me?.userId);
  const set = (status: Thread["status"]) => () => void setStatus(thread.threadId, status).catch(toastError);
  const items: MenuItem[] = [];
  const canOpen = thread.status !== "locked" || thread.lockedBy === me || thread.roleContext === "admin";
  if (thread.status !== "open" && canOpen)
    items.push({
      label: thread.status === "locked" ? "Unlock thread" : "Unarchive thread",
      icon: "check",
      onChoose: set("open"),
    });
  if (thread.status === "open") {
    items.push({ label: "Archive thread", icon: "archive", onChoose: set("archived") });
    items.push({ label: "Lock thread", icon: "lock", onChoose: set("locked") });
  }
  return <MenuButton label="Thread menu" items={items} />;
}
