// The types of cards, as docs/cards.md has them; a test compares the two. It decides which buttons are shown; the
// server decides what happens.
import type { Card, Thread, ThreadRole } from "../api/shapes";
import type { Seat } from "../store/threads";

export type Who = "creator" | "other side" | "buyer" | "seller" | "admin" | "system";

/** One way from a state to another. */
export interface Way {
  from: string;
  to: string;
  who: readonly Who[];
  /** By a button, by a new payload, by making another card that answers this one, or by the clock. */
  how: "move" | "renewal" | "answer" | "clock";
}

export type FieldKind = "money" | "moment" | "line" | "text" | "files" | "card";

export interface CardField {
  name: string;
  kind: FieldKind;
  label: string;
  required: boolean;
  maxLength?: number;
}

export interface CardType {
  name: string;
  title: string;
  description: string;
  creators: readonly ThreadRole[];
  first: string;
  fields: readonly CardField[];
  ways: readonly Way[];
}

const BOTH = ["buyer", "seller"] as const;
const NOTE: CardField = { name: "note", kind: "text", label: "Note", required: false, maxLength: 2000 };
const PRICE: readonly CardField[] = [
  { name: "amount", kind: "money", label: "Amount", required: true },
  NOTE,
  { name: "expiresAt", kind: "moment", label: "Expires", required: false },
];

const way = (from: string, to: string, who: readonly Who[], how: Way["how"] = "move"): Way => ({
  from,
  to,
  who,
  how,
});

const PRICE_WAYS: readonly Way[] = [
  way("open", "accepted", ["other side"]),
  way("open", "declined", ["other side"]),
  way("open", "withdrawn", ["creator"]),
  way("open", "countered", ["other side"], "answer"),
  way("open", "expired", ["system"], "clock"),
];

export const CARD_TYPES: readonly CardType[] = [
  {
    name: "offer",
    title: "Offer",
    description: "A price that the other side can accept or decline",
    creators: BOTH,
    first: "open",
    fields: PRICE,
    ways: PRICE_WAYS,
  },
  {
    name: "counter-offer",
    title: "Counter-offer",
    description: "A different price in reply to an offer",
    creators: BOTH,
    first: "open",
    fields: [
      ...PRICE,
      { name: "answers", kind: "card", label: "In reply to", required: true, maxLength: 200 },
    ],
    ways: PRICE_WAYS,
  },
  {
    name: "booking",
    title: "Booking",
    description: "A date and time that the other side confirms",
    creators: BOTH,
    first: "requested",
    fields: [
      { name: "startsAt", kind: "moment", label: "Starts", required: true },
      { name: "endsAt", kind: "moment", label: "Ends", required: false },
      { name: "place", kind: "line", label: "Place", required: false, maxLength: 200 },
      NOTE,
    ],
    ways: [
      way("requested", "confirmed", ["other side"]),
      way("requested", "declined", ["other side"]),
      way("requested", "cancelled", ["creator", "admin"]),
      way("confirmed", "completed", ["buyer", "admin", "system"]),
      way("confirmed", "cancelled", ["buyer", "seller", "admin"]),
    ],
  },
  {
    name: "delivery",
    title: "Delivery",
    description: "Finished work for the buyer to accept",
    creators: ["seller"],
    first: "submitted",
    fields: [
      { name: "title", kind: "line", label: "Title", required: true, maxLength: 200 },
      { name: "files", kind: "files", label: "Files", required: false },
      NOTE,
    ],
    ways: [
      way("submitted", "accepted", ["other side"]),
      way("submitted", "revision-requested", ["other side"]),
      way("revision-requested", "submitted", ["seller"], "renewal"),
    ],
  },
  {
    name: "payment-request",
    title: "Payment request",
    description: "An amount due. Mark it as paid once you have received it",
    creators: ["seller"],
    first: "open",
    fields: PRICE,
    ways: [
      way("open", "paid", ["creator", "admin", "system"]),
      way("open", "declined", ["other side"]),
      way("open", "withdrawn", ["creator"]),
      way("open", "expired", ["system"], "clock"),
    ],
  },
  {
    name: "amendment",
    title: "Amendment",
    description: "A change to what was agreed",
    creators: BOTH,
    first: "proposed",
    fields: [
      { name: "title", kind: "line", label: "Title", required: true, maxLength: 200 },
      { name: "text", kind: "text", label: "Changes", required: true, maxLength: 8000 },
    ],
    ways: [
      way("proposed", "accepted", ["other side"]),
      way("proposed", "declined", ["other side"]),
      way("proposed", "withdrawn", ["creator"]),
    ],
  },
];

/** A type, or undefined for one that an application added and this client does not know. */
export function cardType(name: string): CardType | undefined {
  return CARD_TYPES.find((each) => each.name === name);
}

export function typeTitle(name: string): string {
  return cardType(name)?.title ?? capital(name.replaceAll("-", " "));
}

export function stateTitle(state: string): string {
  return capital(state.replaceAll("-", " "));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The state at this moment, whether or not anybody wrote down that its time is over. */
export function stateAt(card: Card, now: number): string {
  const ends = card.payload["expiresAt"];
  const byClock = cardType(card.type)?.ways.some((each) => each.from === card.state && each.how === "clock");
  return byClock === true && typeof ends === "string" && Date.parse(ends) <= now ? "expired" : card.state;
}

export function isFinished(type: string, state: string): boolean {
  const known = cardType(type);
  return known === undefined || !known.ways.some((each) => each.from === state);
}

/** On which side a card was made: that of its maker. */
export function sideOf(
  card: Pick<Card, "createdBy">,
  thread: Thread,
  seats: Readonly<Record<string, Seat>>,
): ThreadRole | null {
  if (card.createdBy === thread.buyerUserId) return "buyer";
  if (card.createdBy === thread.sellerUserId) return "seller";
  return card.createdBy === null ? null : (seats[card.createdBy]?.roleContext ?? null);
}

/** What somebody is to a card. */
export function rolesOf(
  card: Pick<Card, "createdBy">,
  side: ThreadRole | null,
  me: string,
  role: ThreadRole | null,
): Set<Who> {
  const found = new Set<Who>();
  if (role === null) return found;
  found.add(role);
  if (card.createdBy === me) found.add("creator");
  if (role !== "admin" && role !== side) found.add("other side");
  return found;
}

/** The ways that a person may take out of the state in which a card is now; none by the clock. */
export function transitionsFor(card: Card, standing: ReadonlySet<Who>, now: number): Way[] {
  const state = stateAt(card, now);
  const ways = cardType(card.type)?.ways ?? [];
  return ways.filter(
    (each) => each.from === state && each.how !== "clock" && each.who.some((who) => standing.has(who)),
  );
}

/** The types of which somebody on this side makes cards; a counter-offer is made beside the offer that it answers. */
export function typesFor(role: ThreadRole | null): CardType[] {
  return CARD_TYPES.filter(
    (each) => role !== null && each.creators.includes(role) && each.name !== "counter-offer",
  );
}

const VERBS: Readonly<Record<string, string>> = {
  accepted: "Accept",
  declined: "Decline",
  withdrawn: "Withdraw",
  countered: "Counter",
  confirmed: "Confirm",
  cancelled: "Cancel booking",
  completed: "Mark as completed",
  paid: "Mark as paid",
  "revision-requested": "Request revision",
  submitted: "Resubmit",
};

/** What the button of a way says. */
export function verbFor(to: string): string {
  return VERBS[to] ?? stateTitle(to);
}

const DID: Readonly<Record<string, string>> = {
  "revision-requested": "requested a revision of",
  submitted: "resubmitted",
  paid: "marked as paid",
  completed: "marked as completed",
};

/** What somebody did who moved a card there: “Ana accepted the offer”. */
export function describeTransition(type: string, to: string): string {
  return `${DID[to] ?? to} the ${typeTitle(type).toLowerCase()}`;
}
