// An action card in a thread: its content, its state, and the transitions that the user may make.
import { useEffect, useState } from "react";
import { historyOf, loadCard } from "../../actions/threads";
import { errorText } from "../../api/problems";
import type { Card, JsonObject, Message } from "../../api/shapes";
import { formatAmount } from "../../cards/money";
import {
  cardType,
  describeTransition,
  isFinished,
  stateAt,
  stateTitle,
  typeTitle,
  verbFor,
  type Transition,
} from "../../cards/types";
import { useStore } from "../../store/store";
import { Dialog } from "../../view/Dialog";
import { PlainData } from "../../view/PlainData";
import { Icon, IconButton, type IconName } from "../../view/Icon";
import { PersonName } from "../../view/Person";
import { useTabIndex } from "../../view/tabStop";
import { clockTime, dayKey, fullTime, messageTime } from "../../view/times";
import { useRoom } from "../room/RoomContext";
import { SharedFile } from "./SharedFile";
import { CardTransition } from "./CardTransition";
import { useNow, useTransitions } from "./useThread";
import { shownName } from "../../view/names";

const ICONS: Readonly<Record<string, IconName>> = {
  offer: "tag",
  "counter-offer": "tag",
  booking: "calendar",
  delivery: "box",
  "payment-request": "money",
  amendment: "edit",
};

const TONES: Readonly<Record<string, string>> = {
  accepted: "good",
  confirmed: "good",
  completed: "good",
  paid: "good",
  "revision-requested": "attention",
};

/** Target states whose button is the primary one. */
const FORWARD = new Set(["accepted", "confirmed", "completed", "paid", "submitted"]);

/** The card of a message: its current state, or its initial one until that is loaded. */
export function ActionCard({ message }: { message: Message }) {
  const { roomId: threadId, messageId } = message;
  const known = useStore((state) => state.cards[threadId]?.[messageId]);
  const areLoaded = useStore((state) => threadId in state.cards);
  const isMissing = areLoaded && known === undefined;
  useEffect(() => {
    if (isMissing) void loadCard(threadId, messageId).catch(() => undefined);
  }, [isMissing, threadId, messageId]);
  const action = message.action as JsonObject;
  const card: Card = known ?? {
    messageId,
    threadId,
    type: String(action["type"]),
    state: String(action["state"]),
    version: 0,
    payload: (action["payload"] ?? {}) as JsonObject,
    createdBy: message.authorId,
    createdAt: message.createdAt,
    updatedAt: message.createdAt,
    flags: message.flags ?? null,
    nsfwBand: message.nsfwBand ?? null,
  };
  return <CardView card={card} isKnown={known !== undefined} />;
}

function CardView({ card, isKnown }: { card: Card; isKnown: boolean }) {
  const ends = card.payload["expiresAt"];
  const now = useNow(typeof ends === "string" ? ends : null);
  const transitions = useTransitions(card);
  const tabIndex = useTabIndex();
  const [taking, setTaking] = useState<{ transition: Transition; card: Card } | null>(null);
  const [isLooking, setLooking] = useState(false);
  const [notice, setNotice] = useState<string | null>(null);
  const state = stateAt(card, now);
  const done = isFinished(card.type, state);
  return (
    <section
      className={done ? "card card-done" : "card"}
      aria-label={`${typeTitle(card.type)}, ${stateTitle(state)}`}
    >
      <header className="card-head">
        <Icon name={ICONS[card.type] ?? "file"} size={18} />
        <span className="card-type">{typeTitle(card.type)}</span>
        <StatePill type={card.type} state={state} />
        <IconButton
          icon="clock"
          size={16}
          label="History"
          tabIndex={tabIndex}
          onClick={() => setLooking(true)}
        />
      </header>
      <CardContent card={card} />
      {notice !== null && (
        <p className="card-notice" role="status">
          <Icon name="alert" size={15} /> {notice}
        </p>
      )}
      {isKnown && transitions.length > 0 && (
        <footer className="card-foot">
          {transitions.map((transition) => (
            <button
              tabIndex={tabIndex}
              key={transition.to}
              type="button"
              className={
                FORWARD.has(transition.to) ? "button button-small button-primary" : "button button-small"
              }
              onClick={() => {
                setNotice(null);
                setTaking({ transition, card });
              }}
            >
              {verbFor(transition.to)}
            </button>
          ))}
        </footer>
      )}
      {taking !== null && (
        <CardTransition
          card={taking.card}
          transition={taking.transition}
          onClose={() => setTaking(null)}
          onConflict={() => setNotice("This was just updated.")}
        />
      )}
      {isLooking && <History card={card} onClose={() => setLooking(false)} />}
    </section>
  );
}

export function StatePill({ type, state }: { type: string; state: string }) {
  const tone = TONES[state] ?? (isFinished(type, state) ? "over" : "waiting");
  return <span className={`pill pill-${tone}`}>{stateTitle(state)}</span>;
}

/** The content of a card. The payload of an unknown type is shown as plain data. */
function CardContent({ card }: { card: Card }) {
  const { payload } = card;
  if (cardType(card.type) === undefined) return <PlainData value={payload} />;
  const text = (name: string): string | null => {
    const value = payload[name];
    return typeof value === "string" ? value : null;
  };
  const amount = payload["amount"];
  const files = Array.isArray(payload["files"]) ? (payload["files"] as unknown[]) : [];
  return (
    <div className="card-content">
      {typeof amount === "number" && (
        <p className="card-amount">{formatAmount(amount, text("currency") ?? "")}</p>
      )}
      {text("title") !== null && <p className="card-title">{text("title")}</p>}
      <Times from={text("startsAt")} to={text("endsAt")} />
      {text("place") !== null && <p className="note">{text("place")}</p>}
      {text("text") !== null && <p className="card-text">{text("text")}</p>}
      {text("note") !== null && <p className="card-text">{text("note")}</p>}
      {files.length > 0 && (
        <ul className="card-files">
          {files.map((fileId) => (
            <li key={String(fileId)}>
              <SharedFile threadId={card.threadId} fileId={String(fileId)} />
            </li>
          ))}
        </ul>
      )}
      {text("answers") !== null && <Answered messageId={text("answers") ?? ""} />}
      {text("expiresAt") !== null && (
        <p className="note">
          Expires <time dateTime={text("expiresAt") ?? ""}>{fullTime(text("expiresAt") ?? "")}</time>
        </p>
      )}
    </div>
  );
}

function Times({ from, to }: { from: string | null; to: string | null }) {
  if (from === null) return null;
  return (
    <p className="card-title">
      <time dateTime={from}>{fullTime(from)}</time>
      {to !== null && (
        <>
          {" to "}
          <time dateTime={to}>{dayKey(from) === dayKey(to) ? clockTime(to) : fullTime(to)}</time>
        </>
      )}
    </p>
  );
}

function Answered({ messageId }: { messageId: string }) {
  const { jumpTo } = useRoom();
  const tabIndex = useTabIndex();
  return (
    <p className="note">
      In reply to{" "}
      <button type="button" className="link" tabIndex={tabIndex} onClick={() => jumpTo(messageId)}>
        the previous offer
      </button>
    </p>
  );
}

/** Who created a card, and its transitions. */
function History({ card, onClose }: { card: Card; onClose: () => void }) {
  const [moves, setMoves] = useState<readonly Message[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isCurrent = true;
    historyOf(card).then(
      (found) => isCurrent && setMoves(found),
      (failure: unknown) => isCurrent && setError(failure),
    );
    return () => {
      isCurrent = false;
    };
  }, [card]);
  const isExpired = stateAt(card, Date.now()) === "expired";
  return (
    <Dialog title={`${typeTitle(card.type)} history`} onClose={onClose}>
      <ol className="card-moves">
        <li>
          <strong>
            <PersonName userId={card.createdBy} />
          </strong>{" "}
          created it <time className="note">{messageTime(card.createdAt)}</time>
        </li>
        {moves?.map((move) => (
          <Move key={move.messageId} move={move} card={card} />
        ))}
        {isExpired && <li>Expired {messageTime(String(card.payload["expiresAt"]))}</li>}
      </ol>
      {moves === null && error === null && <div className="skeleton skeleton-room" />}
      {error !== null && <p className="form-error">{errorText(error)}</p>}
    </Dialog>
  );
}

function Move({ move, card }: { move: Message; card: Card }) {
  const action = move.action as JsonObject;
  const answered = action["answered"] as JsonObject | undefined;
  const state = String((answered ?? action)["state"]);
  const note = answered === undefined ? (action["payload"] as JsonObject | undefined)?.["note"] : undefined;
  return (
    <li>
      <strong>{shownName(move)}</strong> {describeTransition(card.type, state)}{" "}
      <time className="note" title={fullTime(move.createdAt)}>
        {messageTime(move.createdAt)}
      </time>
      {typeof note === "string" && <p className="transition-note">“{note}”</p>}
    </li>
  );
}
