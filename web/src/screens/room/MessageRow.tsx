// A message in a room.
import { memo } from "react";
import { retry, withdraw } from "../../actions/sending";
import type { Message } from "../../api/shapes";
import { Markdown } from "../../markdown/Markdown";
import type { Outgoing, Reading } from "../../store/state";
import { useStore } from "../../store/store";
import { Avatar } from "../../view/Avatar";
import { Icon } from "../../view/Icon";
import { TabStopContext, useTabIndex } from "../../view/tabStop";
import { clockTime, fullTime, messageTime } from "../../view/times";
import { ActionRow } from "../threads/ActionRow";
import { Attachments } from "./Attachments";
import { MessageActions } from "./MessageActions";
import { MessageEdit } from "./MessageEdit";
import { Reactions } from "./Reactions";
import { ReplyQuote } from "./ReplyQuote";
import { useRoom } from "./RoomContext";
import { secondaryName, shownName } from "../../view/names";

interface MessageRowProps {
  message: Message;
  isHead: boolean;
  isEdited: boolean;
  isMarked: boolean;
  isPinned: boolean;
  /** Whether this row is the tab stop of the list. */
  isCurrent: boolean;
  seenBy: readonly Reading[];
}

export const MessageRow = memo(function MessageRow({
  message,
  isHead,
  isEdited,
  isMarked,
  isPinned,
  isCurrent,
  seenBy,
}: MessageRowProps) {
  const { me, names, focusMessage } = useRoom();
  if (message.action !== null)
    return (
      <TabStopContext value={isCurrent}>
        <ActionRow message={message} isMarked={isMarked} isPinned={isPinned} seenBy={seenBy} />
      </TabStopContext>
    );
  if (message.type === "system")
    return <Notice message={message} isMarked={isMarked} isCurrent={isCurrent} />;
  const isForMe = message.mentions.includes(me);
  const classes = [
    "message",
    isHead && "message-head",
    isForMe && "message-for-me",
    isMarked && "message-marked",
  ];
  return (
    <TabStopContext value={isCurrent}>
      <article
        className={classes.filter((each) => each !== false).join(" ")}
        data-message={message.messageId}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={() => focusMessage(message.messageId)}
        aria-label={`${shownName(message)}, ${messageTime(message.createdAt)}`}
      >
        {message.replyTo !== null && !message.deleted && <ReplyQuote messageId={message.replyTo} />}
        {isHead ? <Head message={message} /> : <SideTime at={message.createdAt} />}
        <div className="message-body">
          {message.deleted ? (
            <p className="message-deleted">This message was deleted.</p>
          ) : isEdited ? (
            <MessageEdit message={message} />
          ) : (
            <>
              {message.content !== "" && <Markdown text={message.content} names={names} />}
              {message.edited && (
                <span
                  className="note"
                  title={message.editedAt === null ? undefined : fullTime(message.editedAt)}
                >
                  (edited)
                </span>
              )}
              <Attachments files={message.attachments} />
              {isPinned && <PinnedMark />}
              <Reactions message={message} />
            </>
          )}
        </div>
        {seenBy.length > 0 && <SeenBy readings={seenBy} />}
        {!message.deleted && !isEdited && <MessageActions message={message} isPinned={isPinned} />}
      </article>
    </TabStopContext>
  );
});

/** A system notice: one quiet line without actions. */
export function Notice(props: { message: Message; isMarked: boolean; isCurrent: boolean }) {
  const { message, isMarked, isCurrent } = props;
  const { focusMessage } = useRoom();
  return (
    <article
      className={isMarked ? "notice message-marked" : "notice"}
      data-message={message.messageId}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => focusMessage(message.messageId)}
      aria-label={`Notice, ${messageTime(message.createdAt)}`}
    >
      <strong>{shownName(message)}</strong> · {message.content}{" "}
      <time dateTime={message.createdAt} title={fullTime(message.createdAt)}>
        {clockTime(message.createdAt)}
      </time>
    </article>
  );
}

export function PinnedMark() {
  return (
    <span className="pinned-mark">
      <Icon name="pin" size={12} /> Pinned
    </span>
  );
}

export function Head({ message }: { message: Message }) {
  const { openProfile } = useRoom();
  const tabIndex = useTabIndex();
  const url = useStore((state) => state.people[message.authorId]?.avatarUrl);
  return (
    <>
      <button
        type="button"
        className="message-face"
        tabIndex={-1}
        aria-hidden="true"
        onClick={(event) => openProfile(message.authorId, event.currentTarget)}
      >
        <Avatar id={message.authorId} name={shownName(message)} url={url} size={38} />
      </button>
      <header>
        <button
          type="button"
          className="author"
          title={secondaryName(message)}
          tabIndex={tabIndex}
          onClick={(event) => openProfile(message.authorId, event.currentTarget)}
        >
          {shownName(message)}
        </button>
        {message.bot === true && <span className="bot-mark">Bot</span>}
        <time dateTime={message.createdAt} title={fullTime(message.createdAt)}>
          {messageTime(message.createdAt)}
        </time>
      </header>
    </>
  );
}

function SideTime({ at }: { at: string }) {
  return (
    <time className="side-time" dateTime={at} title={fullTime(at)}>
      {clockTime(at)}
    </time>
  );
}

export function SeenBy({ readings }: { readings: readonly Reading[] }) {
  const names = readings.map((each) => shownName(each)).join(", ");
  return (
    <div className="seen-by" role="img" title={`Seen by ${names}`} aria-label={`Seen by ${names}`}>
      {readings.slice(0, 6).map((each) => (
        <Avatar key={each.userId} id={each.userId} name={shownName(each)} url={each.avatarUrl} size={16} />
      ))}
    </div>
  );
}

/** A message in the outbox: dimmed until the server has it, with the reason if sending failed. */
export const OutgoingRow = memo(function OutgoingRow({
  outgoing,
  isHead,
}: {
  outgoing: Outgoing;
  isHead: boolean;
}) {
  const { names } = useRoom();
  const me = useStore((state) => state.me);
  const { nonce, state } = outgoing;
  return (
    <article
      className={`message message-${state}${isHead ? " message-head" : ""}`}
      aria-label={`You, ${state === "failed" ? "not sent" : "sending"}`}
    >
      {outgoing.replyTo !== null && <ReplyQuote messageId={outgoing.replyTo} />}
      {isHead && me !== null ? (
        <>
          <span className="message-face">
            <Avatar id={me.userId} name={shownName(me)} url={me.avatarUrl} size={38} />
          </span>
          <header>
            <span className="author">{shownName(me)}</span>
            <time dateTime={outgoing.createdAt}>{messageTime(outgoing.createdAt)}</time>
          </header>
        </>
      ) : (
        <span className="side-time" />
      )}
      <div className="message-body">
        {outgoing.content !== "" && <Markdown text={outgoing.content} names={names} />}
        {outgoing.attachments.length > 0 && <Attachments files={outgoing.attachments} />}
        {state !== "sending" && (
          <div className="unsent" role={state === "failed" ? "alert" : "status"}>
            <Icon name={state === "failed" ? "alert" : "clock"} size={15} />
            <span>{state === "failed" ? `Not sent: ${outgoing.why ?? ""}` : "Waiting for connection"}</span>
            <button type="button" onClick={() => retry(nonce)}>
              Try again
            </button>
            <button type="button" onClick={() => withdraw(nonce)}>
              Discard
            </button>
          </div>
        )}
      </div>
    </article>
  );
});
