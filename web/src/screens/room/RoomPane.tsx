// An open room of any kind: its messages, the typing line and the composer.
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { loadNewer, loadNewest, loadOlder, loadPins } from "../../actions/room";
import { errorText } from "../../api/problems";
import type { Message, Person, Pin, RoomRef } from "../../api/shapes";
import type { Names } from "../../markdown/Markdown";
import { roomKey } from "../../store/state";
import { sameList, store, useStore } from "../../store/store";
import { DropZone } from "../../view/DropZone";
import { Icon } from "../../view/Icon";
import { RowList, type RowListHandle } from "../../view/RowList";
import { dayName } from "../../view/times";
import { toastError } from "../../view/toasts";
import { ProfileCard } from "../ProfileCard";
import { Composer } from "./Composer";
import { MessageRow, OutgoingRow } from "./MessageRow";
import { PrivateResponses } from "./PrivateResponses";
import { RoomSkeleton } from "./RoomSkeleton";
import { RoomContext, type RoomTools } from "./RoomContext";
import { estimate, keyOf, rowsOf, type Row } from "./rows";
import { TypingLine } from "./TypingLine";
import { useJumpToTarget, useOpenRoom } from "./useOpenRoom";
import { useReading } from "./useReading";
import { useUploads } from "./uploads";
import { shownName } from "../../view/names";

interface RoomPaneProps {
  room: RoomRef;
  /** The path of the room; links to messages are below it. */
  path: string;
  title: string;
  names: Names;
  people: readonly Person[];
  canModerate: boolean;
  canPin: boolean;
  /** The message id in the URL, if any. */
  target: string | null;
  beginning: ReactNode;
  /** More buttons in the composer. */
  tools?: ReactNode;
  /** Shown instead of the composer if the user cannot write here. */
  readOnly?: ReactNode;
}

const NO_READINGS = {};

export function RoomPane(props: RoomPaneProps) {
  const { room, path, names, target } = props;
  const key = roomKey(room);
  const me = useStore((state) => state.me?.userId ?? "");
  const log = useStore((state) => state.logs[key]);
  const outbox = useStore((state) => state.outbox.filter((each) => roomKey(each.room) === key), sameList);
  const readings =
    useStore((state) => (room.kind !== "channel" ? state.readings[key] : undefined)) ?? NO_READINGS;
  const [, navigate] = useLocation();
  const [edited, setEdited] = useState<string | null>(null);
  const [marked, setMarked] = useState<string | null>(null);
  const [answered, setAnswered] = useState<Message | null>(null);
  const [profile, setProfile] = useState<{ userId: string; anchor: HTMLElement } | null>(null);
  const list = useRef<RowListHandle>(null);
  const files = useUploads();
  const { unreadAfter, setUnreadAfter, isAtEnd, setAtEnd, see, readAll } = useReading(room);
  const { isOpen, startsUnread, error, setError, open } = useOpenRoom(room, target, setUnreadAfter);
  useJumpToTarget(room, target, list, setMarked, setError);
  const pinned = usePinned(room);
  const [focused, setFocused] = useState<string | null>(null);
  const last = log?.messages.at(-1)?.messageId;
  const current = log?.messages.some((each) => each.messageId === focused) === true ? focused : last;

  const jumpTo = useCallback((messageId: string) => navigate(`${path}/${messageId}`), [navigate, path]);
  const openProfile = useCallback(
    (userId: string, anchor: HTMLElement) => setProfile({ userId, anchor }),
    [],
  );
  const named = useMemo<Names>(() => ({ ...names, openPerson: openProfile }), [names, openProfile]);
  const tools = useMemo<RoomTools>(
    () => ({
      room,
      me,
      names: named,
      canModerate: props.canModerate,
      canPin: props.canPin,
      replyTo: setAnswered,
      startEdit: setEdited,
      jumpTo,
      linkTo: (messageId) => `${path}/${messageId}`,
      openProfile,
      focusMessage: setFocused,
    }),
    [room, me, named, openProfile, props.canModerate, props.canPin, jumpTo, path],
  );
  const rows = useMemo(
    () => (log === undefined ? [] : rowsOf(log, outbox, me, unreadAfter, Object.values(readings))),
    [log, outbox, me, unreadAfter, readings],
  );
  const toPresent = () => {
    if (target !== null) navigate(path, { replace: true });
    if (log?.hasNewer === true) loadNewest(room).then(() => list.current?.toEnd(), toastError);
    else list.current?.toEnd();
  };
  const editLast = () => {
    const last = log?.messages.findLast((each) => each.authorId === me && !each.deleted);
    if (last !== undefined) setEdited(last.messageId);
  };
  const render = (row: Row): ReactNode => {
    switch (row.kind) {
      case "message":
        return (
          <MessageRow
            message={row.message}
            isHead={row.isHead}
            isEdited={edited === row.message.messageId}
            isMarked={marked === row.message.messageId}
            isPinned={pinned.has(row.message.messageId)}
            isCurrent={current === row.message.messageId}
            seenBy={row.seenBy}
          />
        );
      case "outgoing":
        return <OutgoingRow outgoing={row.outgoing} isHead={row.isHead} />;
      case "day":
        return (
          <div className="divider" role="separator" aria-label={dayName(row.at)}>
            <span>{dayName(row.at)}</span>
          </div>
        );
      case "new":
        return (
          <div className="divider divider-new" role="separator" aria-label="New messages">
            <span>New</span>
          </div>
        );
      case "loading":
        return <RoomSkeleton count={3} />;
      case "beginning":
        return <div className="beginning">{props.beginning}</div>;
    }
  };

  return (
    <RoomContext value={tools}>
      <DropZone
        className="room"
        aria-label={props.title}
        onKeyDown={(event) => {
          if (event.key === "Escape") readAll();
        }}
        onFiles={files.add}
      >
        <div className="room-messages">
          {error !== null ? (
            <div className="empty" role="alert">
              <h2>Couldn't load messages</h2>
              <p>{errorText(error)}</p>
              <button type="button" className="button" onClick={open}>
                Try again
              </button>
            </div>
          ) : log === undefined || !isOpen ? (
            <RoomSkeleton count={9} />
          ) : (
            <RowList
              rows={rows}
              keyOf={keyOf}
              estimate={estimate}
              render={render}
              isLoose={(row) => row.kind !== "message" && row.kind !== "outgoing"}
              label={`Messages in ${props.title}`}
              endsHere={!log.hasNewer}
              onNearStart={() => log.hasOlder && void loadOlder(room).catch(() => undefined)}
              onNearEnd={() => log.hasNewer && void loadNewer(room).catch(() => undefined)}
              onAtEnd={setAtEnd}
              onSeen={(id) => {
                if (log.messages.some((each) => each.messageId === id)) see(id);
              }}
              startAt={startsUnread ? firstUnread(log.messages, unreadAfter, me) : undefined}
              onKeyDown={walk}
              handle={list}
            />
          )}
          {isOpen && !isAtEnd && (
            <button type="button" className="to-present" onClick={toPresent}>
              <Icon name="down" size={16} /> Newest messages
            </button>
          )}
        </div>
        <PrivateResponses room={room} />
        {props.readOnly !== undefined && <div className="read-only">{props.readOnly}</div>}
        {props.readOnly === undefined && (
          <Composer
            placeholder={`Message ${props.title}`}
            people={props.people}
            files={files}
            answered={answered}
            onAnswered={() => setAnswered(null)}
            onEditLast={editLast}
            onSent={toPresent}
            tools={props.tools}
          />
        )}
        <TypingLine room={room} />
        <Announcer room={room} />
      </DropZone>
      {profile !== null && <ProfileCard {...profile} onClose={() => setProfile(null)} />}
    </RoomContext>
  );
}

function firstUnread(messages: readonly Message[], after: string | null, me: string): string | undefined {
  return messages.find((each) => each.messageId > (after ?? "") && each.authorId !== me)?.messageId;
}

const NOTHING_PINNED: readonly Pin[] = [];

/** The ids of the pinned messages of a room. */
function usePinned(room: RoomRef): ReadonlySet<string> {
  const pins = useStore((state) => state.pins[roomKey(room)]) ?? NOTHING_PINNED;
  useEffect(() => {
    if (!(roomKey(room) in store.get().pins)) void loadPins(room).catch(() => undefined);
  }, [room]);
  return useMemo(() => new Set(pins.map((each) => each.message.messageId)), [pins]);
}

/** Announces new messages to screen readers. */
function Announcer({ room }: { room: RoomRef }) {
  const last = useStore((state) => {
    const message = state.logs[roomKey(room)]?.messages.at(-1);
    return message === undefined || message.authorId === state.me?.userId ? undefined : message;
  });
  const opened = useRef(Date.now());
  const isFresh = last !== undefined && Date.parse(last.createdAt) > opened.current;
  return (
    <div className="hidden-text" aria-live="polite">
      {isFresh && !last.deleted ? `${shownName(last)}: ${last.content.slice(0, 300)}` : ""}
    </div>
  );
}

/** Arrow keys move between messages. */
function walk(event: React.KeyboardEvent<HTMLDivElement>): void {
  const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
  const isInMessage =
    event.target === event.currentTarget || (event.target as HTMLElement).matches("[data-message]");
  if (step === 0 || event.altKey || !isInMessage) return;
  const messages = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-message]")];
  const at = messages.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? messages.at(-1) : messages[at + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}
