// The action cards of a thread, newest first.
import { Link } from "wouter";
import type { Card, Thread } from "../../api/shapes";
import { formatAmount } from "../../cards/money";
import { stateAt, typeTitle } from "../../cards/types";
import { useStore } from "../../store/store";
import { PersonName } from "../../view/Person";
import { shortTime } from "../../view/times";
import { StatePill } from "./ActionCard";
import { recordsOf } from "./tabs";
import { useTab } from "./useTab";

type Entry = Pick<Card, "messageId" | "type" | "state" | "createdBy" | "createdAt" | "updatedAt">;

const NO_CARDS: Readonly<Record<string, Card>> = {};

export function ActionsTab({ thread }: { thread: Thread }) {
  const content = useTab(thread.threadId, "actions")?.content;
  const cards = useStore((state) => state.cards[thread.threadId]) ?? NO_CARDS;
  const entries = recordsOf<Entry>(content, "actions").filter((each) => typeof each.messageId === "string");
  if (entries.length === 0) return <p className="note">No offers or requests yet.</p>;
  return (
    <ul className="tab-rows">
      {entries.map((entry) => {
        const card = cards[entry.messageId];
        return (
          <li key={entry.messageId}>
            <Link href={`/t/${thread.threadId}/${entry.messageId}`} className="tab-row">
              <span className="tab-row-text">
                <strong>{card === undefined ? typeTitle(entry.type) : summaryOf(card)}</strong>
                <span className="note">
                  <PersonName userId={entry.createdBy} />, {shortTime(entry.createdAt)}
                </span>
              </span>
              <StatePill
                type={entry.type}
                state={card === undefined ? entry.state : stateAt(card, Date.now())}
              />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function summaryOf(card: Card): string {
  const { amount, currency, title } = card.payload;
  const name = typeTitle(card.type);
  if (typeof amount === "number" && typeof currency === "string")
    return `${name}: ${formatAmount(amount, currency)}`;
  return typeof title === "string" ? `${name}: ${title}` : name;
}
