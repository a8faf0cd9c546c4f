// A moderation case: author, message, reason, and the decision.
import { useState } from "react";
import { decideCase } from "../../actions/moderation";
import { Problem } from "../../api/problems";
import type { Case, CaseDecision } from "../../api/shapes";
import { Markdown, type Names } from "../../markdown/Markdown";
import { Avatar } from "../../view/Avatar";
import { Field } from "../../view/Field";
import { PlainData } from "../../view/PlainData";
import { fullTime, messageTime } from "../../view/times";
import { toastError, toast } from "../../view/toasts";
import { Attachments } from "../room/Attachments";
import { shownName } from "../../view/names";

const NO_NAMES: Names = { me: "", personOf: () => null, channelAt: () => null };

interface CaseCardProps {
  review: Case;
  onDecided: (caseId: string) => void;
}

export function CaseCard({ review, onDecided }: CaseCardProps) {
  const { author } = review;
  return (
    <article className="case" aria-label={`Case about ${shownName(author)}`}>
      <header>
        <Avatar id={author.userId} name={shownName(author)} url={author.avatarUrl} size={34} />
        <div className="case-author">
          <strong>{shownName(author)}</strong>
          <span className="note">
            {placeOf(review)},{" "}
            <time dateTime={review.createdAt} title={fullTime(review.createdAt)}>
              {messageTime(review.createdAt)}
            </time>
          </span>
        </div>
        <StatusPill review={review} />
      </header>
      <p className="case-reason">{reasonOf(review)}</p>
      <Reviewed review={review} />
      {review.state === "open" ? (
        <Decide review={review} onDecided={onDecided} />
      ) : (
        review.note !== null && <p className="note">Note: {review.note}</p>
      )}
    </article>
  );
}

function Reviewed({ review: { message } }: { review: Case }) {
  if (message === null) return <p className="note">The message was deleted.</p>;
  return (
    <blockquote className="case-message">
      {message.content !== "" && <Markdown text={message.content} names={NO_NAMES} />}
      {message.action !== null && <PlainData value={message.action} />}
      <Attachments files={message.attachments} />
      <footer className="note">
        Sent {messageTime(message.createdAt)}
        {message.editedAt !== null && `, edited ${messageTime(message.editedAt)}`}
      </footer>
    </blockquote>
  );
}

function Decide({ review, onDecided }: CaseCardProps) {
  const [note, setNote] = useState("");
  const [isBusy, setBusy] = useState(false);
  const decide = (decision: CaseDecision) => {
    setBusy(true);
    decideCase(review.caseId, decision, note)
      .then(
        () => {
          toast(decision === "block" ? "Message blocked" : "Message approved");
          onDecided(review.caseId);
        },
        (failure: unknown) => {
          // Another administrator was first: the case is no longer in the queue.
          if (failure instanceof Problem && failure.code === "case_closed") onDecided(review.caseId);
          toastError(failure);
        },
      )
      .finally(() => setBusy(false));
  };
  return (
    <div className="case-decision">
      <Field
        label="Note (optional)"
        value={note}
        maxLength={1000}
        onChange={(event) => setNote(event.target.value)}
      />
      <button type="button" className="button" disabled={isBusy} onClick={() => decide("approve")}>
        Approve
      </button>
      <button
        type="button"
        className="button button-danger"
        disabled={isBusy}
        onClick={() => decide("block")}
      >
        Block
      </button>
    </div>
  );
}

function StatusPill({ review }: { review: Case }) {
  const decided = review.decision === "block" ? "Blocked" : "Approved";
  const status = review.message?.flags?.moderation ?? "clean";
  return (
    <span className="badge">
      {review.state === "closed" ? decided : status === "clean" ? "Visible" : status}
    </span>
  );
}

/** The room of the message, as text. */
export function placeOf({ room, roomKind }: Case): string {
  if (room === null) return `in a deleted ${roomKind}`;
  if (roomKind === "channel") return `in #${room.name ?? "channel"},  ${room.serverName ?? "a community"}`;
  if (roomKind === "thread") return "in a thread";
  return room.name === null ? "in a direct conversation" : `in the group ${room.name}`;
}

/** Why the case is in the queue, as text. */
export function reasonOf({ origin, reason, reporter, verdict }: Case): string {
  if (origin === "report")
    return `Reported by ${reporter == null ? "a user" : shownName(reporter)}: ${reason}`;
  return `${verdict === "blocked" ? "Blocked" : "Flagged"} by policy: ${reason}`;
}
