// A message that created an action card, or one of its transitions.
import { Link } from "wouter";
import { transitionTarget } from "../../actions/threads";
import type { JsonObject, Message } from "../../api/shapes";
import { describeTransition } from "../../cards/types";
import type { Reading } from "../../store/state";
import { Icon } from "../../view/Icon";
import { useTabIndex } from "../../view/tabStop";
import { clockTime, fullTime, messageTime } from "../../view/times";
import { MessageActions } from "../room/MessageActions";
import { Head, PinnedMark, SeenBy } from "../room/MessageRow";
import { Reactions } from "../room/Reactions";
import { useRoom } from "../room/RoomContext";
import { ActionCard } from "./ActionCard";
import { shownName } from "../../view/names";

interface ActionRowProps {
  message: Message;
  isMarked: boolean;
  isPinned: boolean;
  seenBy: readonly Reading[];
}

export function ActionRow({ message, isMarked, isPinned, seenBy }: ActionRowProps) {
  const { focusMessage } = useRoom();
  const tabIndex = useTabIndex();
  const action = message.action;
  const isMove = typeof action?.["cardId"] === "string";
  return (
    <article
      className={`message ${isMove ? "message-transition" : "message-head"} ${isMarked ? "message-marked" : ""}`}
      data-message={message.messageId}
      tabIndex={tabIndex ?? 0}
      onFocus={() => focusMessage(message.messageId)}
      aria-label={`${shownName(message)}, ${messageTime(message.createdAt)}`}
    >
      {isMove ? <Transition message={message} /> : <NewCard message={message} />}
      {seenBy.length > 0 && <SeenBy readings={seenBy} />}
      {isPinned && <PinnedMark />}
      <MessageActions message={message} isPinned={isPinned} />
    </article>
  );
}

function NewCard({ message }: { message: Message }) {
  return (
    <>
      <Head message={message} />
      <div className="message-body">
        <ActionCard message={message} />
        <Reactions message={message} />
      </div>
    </>
  );
}

/** A transition, as one line: who moved which card to which state. */
function Transition({ message }: { message: Message }) {
  const { linkTo } = useRoom();
  const tabIndex = useTabIndex();
  const action = message.action as JsonObject;
  const note = (action["payload"] as JsonObject | undefined)?.["note"];
  const cardId = transitionTarget(message);
  return (
    <>
      <span className="transition-icon">
        <Icon name="check" size={15} />
      </span>
      <div className="message-body transition">
        <p>
          <strong>{shownName(message)}</strong>{" "}
          {cardId === null ? (
            message.content
          ) : (
            <Link href={linkTo(cardId)} tabIndex={tabIndex}>
              {describeTransition(String(action["type"]), String(action["state"]))}
            </Link>
          )}{" "}
          <time className="note" dateTime={message.createdAt} title={fullTime(message.createdAt)}>
            {clockTime(message.createdAt)}
          </time>
        </p>
        {typeof note === "string" && <p className="transition-note">“{note}”</p>}
        <Reactions message={message} />
      </div>
    </>
  );
}
