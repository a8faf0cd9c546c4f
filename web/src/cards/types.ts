// The card types, as documented in docs/cards.md; a test compares the two. They decide which buttons are shown; the
// server decides what is allowed.
import type { Card, Thread, ThreadRole } from "../api/shapes";
import type { Seat } from "../store/threads";

export type Who = "creator" | "other side" | "buyer" | "seller" | "admin" | "system";

/** A transition from one state to another. */
export interface Transition {
  from: string;
  to: string;
  who: readonly Who[];
  /** By a button, by a new payload, by a card that replies to this one, or by expiry. */
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
  transitions: readonly Transition[];
}

const BOTH = ["buyer", "seller"] as const;
const NOTE: CardField = { name: "note", kind: "text", label: "Note", required: false, maxLength: 2000 };
const PRICE: readonly CardField[] = [
  { name: "amount", kind: "money", label: "Amount", required: true },
  NOTE,
  { name: "expiresAt", kind: "moment", label: "Expires", required: false },
];

const transition = (
  from: string,
  to: string,
  who: readonly Who[],
  how: Transition["how"] = "move",
): Transition => ({
  from,
  to,
  who,
  how,
});

const PRICE_TRANSITIONS: readonly Transition[] = [
  transition("open", "accepted", ["other side"]),
  transition("open", "declined", ["other side"]),
  transition("open", "withdrawn", ["creator"]),
  transition("open", "countered", ["other side"], "answer"),
  transition("open", "expired", ["system"], "clock"),
];

export const CARD_TYPES: readonly CardType[] = [
  {
    name: "offer",
    title: "Offer",
    description: "A price that the other side can accept or decline",
    creators: BOTH,
    first: "open",
    fields: PRICE,
    transitions: PRICE_TRANSITIONS,
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
    transitions: PRICE_TRANSITIONS,
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
    transitions: [
      transition("requested", "confirmed", ["other side"]),
      transition("requested", "declined", ["other side"]),
      transition("requested", "cancelled", ["creator", "admin"]),
      transition("confirmed", "completed", ["buyer", "admin", "system"]),
      transition("confirmed", "cancelled", ["buyer", "seller", "admin"]),
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
    transitions: [
      transition("submitted", "accepted", ["other side"]),
      transition("submitted", "revision-requested", ["other side"]),
      transition("revision-requested", "submitted", ["seller"], "renewal"),
    ],
  },
  {
    name: "payment-request",
    title: "Payment request",
    description: "An amount due. Mark it as paid once you have received it",
    creators: ["seller"],
    first: "open",
    fields: PRICE,
    transitions: [
      transition("open", "paid", ["creator", "admin", "system"]),
      transition("open", "declined", ["other side"]),
      transition("open", "withdrawn", ["creator"]),
      transition("open", "expired", ["system"], "clock"),
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
    transitions: [
      transition("proposed", "accepted", ["other side"]),
      transition("proposed", "declined", ["other side"]),
      transition("proposed", "withdrawn", ["creator"]),
    ],
  },
];

/** A built-in type; undefined for one that an application added. */
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

/** The state at a time: `expired` once that has passed, even if the server has not stored it yet. */
export function stateAt(card: Card, now: number): string {
  const ends = card.payload["expiresAt"];
  const byClock = cardType(card.type)?.transitions.some(
    (each) => each.from === card.state && each.how === "clock",
  );
  return byClock === true && typeof ends === "string" && Date.parse(ends) <= now ? "expired" : card.state;
}

export function isFinished(type: string, state: string): boolean {
  const known = cardType(type);
  return known === undefined || !known.transitions.some((each) => each.from === state);
}

/** The side of the card's creator. */
export function sideOf(
  card: Pick<Card, "createdBy">,
  thread: Thread,
  seats: Readonly<Record<string, Seat>>,
): ThreadRole | null {
  if (card.createdBy === thread.buyerUserId) return "buyer";
  if (card.createdBy === thread.sellerUserId) return "seller";
  return card.createdBy === null ? null : (seats[card.createdBy]?.roleContext ?? null);
}

/** The roles of the user for a card. */
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

/** The transitions that a user with these roles may make of a card now. */
export function transitionsFor(card: Card, roles: ReadonlySet<Who>, now: number): Transition[] {
  const state = stateAt(card, now);
  const transitions = cardType(card.type)?.transitions ?? [];
  return transitions.filter(
    (each) => each.from === state && each.how !== "clock" && each.who.some((who) => roles.has(who)),
  );
}

/** The types that a user of this side may create; a counter-offer is created from its offer. */
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

/** The label of the button of a transition. */
export function verbFor(to: string): string {
  return VERBS[to] ?? stateTitle(to);
}

const PAST_TENSE: Readonly<Record<string, string>> = {
  "revision-requested": "requested a revision of",
  submitted: "resubmitted",
  paid: "marked as paid",
  completed: "marked as completed",
};

/** A transition in the past tense: “accepted the offer”. */
export function describeTransition(type: string, to: string): string {
  return `${PAST_TENSE[to] ?? to} the ${typeTitle(type).toLowerCase()}`;
}
