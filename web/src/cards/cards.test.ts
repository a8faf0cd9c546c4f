// @vitest-environment node
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Card, Thread } from "../api/shapes";
import { checkCard } from "./form";
import { formatAmount, parseAmount } from "./money";
import {
  CARD_TYPES,
  cardType,
  sideOf,
  rolesOf,
  stateAt,
  typesFor,
  transitionsFor,
  type CardType,
} from "./types";

const NOW = Date.parse("2026-11-16T12:00:00.000Z");

const thread = { buyerUserId: "ana", sellerUserId: "bo" } as Thread;

function card(type: string, state: string, createdBy: string, payload: Record<string, unknown> = {}): Card {
  const at = "2026-11-16T10:00:00.000Z";
  return {
    messageId: "1",
    threadId: "t",
    type,
    state,
    version: 1,
    payload,
    createdBy,
    createdAt: at,
    updatedAt: at,
    flags: null,
    nsfwBand: null,
  };
}

/** The states to which this user may move the card. */
function moves(of: Card, me: string, role: "buyer" | "seller" | "admin"): string[] {
  return transitionsFor(of, rolesOf(of, sideOf(of, thread, {}), me, role), NOW).map((each) => each.to);
}

function known(name: string): CardType {
  const type = cardType(name);
  if (type === undefined) throw new Error(name);
  return type;
}

describe("card types", () => {
  it("match the documentation", () => {
    const docs = readFileSync("../docs/cards.md", "utf8");
    const written = docs
      .split("\n## ")
      .slice(1)
      .map((section) => {
        const [name = ""] = section.split("\n");
        const cells = section.split("\n").flatMap((line) => {
          if (!line.startsWith("| `")) return [];
          return [
            line
              .split("|")
              .slice(1, -1)
              .map((cell) => cell.trim()),
          ];
        });
        const fields = cells.filter((row) => row.length === 3);
        const transitions = cells.filter((row) => row.length === 4);
        return {
          name: name.trim(),
          creators: /Creators: ([^.]+)\./.exec(section)?.[1],
          first: /First state: `([^`]+)`/.exec(section)?.[1],
          fields: fields.map(
            ([field = "", needed]) => `${field.replaceAll("`", "")}${needed === "yes" ? "!" : ""}`,
          ),
          transitions: transitions.map(([from = "", to = "", who = ""]) => {
            const end = to.replaceAll("`", "").replace(" (final)", "");
            return `${from.replaceAll("`", "")} > ${end}: ${who}`;
          }),
        };
      });
    const here = CARD_TYPES.map((type) => ({
      name: type.name,
      creators: type.creators.join(", "),
      first: type.first,
      fields: type.fields.flatMap((field) => [
        `${field.name}${field.required ? "!" : ""}`,
        ...(field.kind === "money" ? ["currency!"] : []),
      ]),
      transitions: type.transitions.map((each) => `${each.from} > ${each.to}: ${each.who.join(", ")}`),
    }));
    expect(here).toEqual(written);
  });
});

describe("permitted transitions", () => {
  it("let the other side accept or decline an offer, and its creator withdraw it", () => {
    const offer = card("offer", "open", "ana");
    expect(moves(offer, "bo", "seller")).toEqual(["accepted", "declined", "countered"]);
    expect(moves(offer, "ana", "buyer")).toEqual(["withdrawn"]);
  });

  it("let a colleague of the creator do nothing with an offer", () => {
    expect(moves(card("offer", "open", "ana"), "cy", "buyer")).toEqual([]);
  });

  it("let an admin neither accept nor withdraw an offer", () => {
    expect(moves(card("offer", "open", "ana"), "di", "admin")).toEqual([]);
  });

  it("let both sides cancel a confirmed booking, and the buyer's side complete it", () => {
    const booking = card("booking", "confirmed", "bo");
    expect(moves(booking, "ana", "buyer")).toEqual(["completed", "cancelled"]);
    expect(moves(booking, "bo", "seller")).toEqual(["cancelled"]);
    expect(moves(card("booking", "requested", "bo"), "di", "admin")).toEqual(["cancelled"]);
  });

  it("let the seller's side resubmit a delivery after a revision request", () => {
    expect(moves(card("delivery", "revision-requested", "bo"), "bo", "seller")).toEqual(["submitted"]);
    expect(moves(card("delivery", "revision-requested", "bo"), "ana", "buyer")).toEqual([]);
  });

  it("let the creator of a payment request mark it as paid", () => {
    expect(moves(card("payment-request", "open", "bo"), "bo", "seller")).toEqual(["paid", "withdrawn"]);
    expect(moves(card("payment-request", "open", "bo"), "ana", "buyer")).toEqual(["declined"]);
  });

  it("do not exist for finished, expired and unknown cards", () => {
    expect(moves(card("offer", "accepted", "ana"), "bo", "seller")).toEqual([]);
    const late = card("offer", "open", "ana", { expiresAt: "2026-11-16T11:59:59.000Z" });
    expect(stateAt(late, NOW)).toBe("expired");
    expect(moves(late, "bo", "seller")).toEqual([]);
    expect(moves(card("sample", "sent", "ana"), "bo", "seller")).toEqual([]);
  });

  it("include only the types that a side may create", () => {
    expect(typesFor("buyer").map((each) => each.name)).toEqual(["offer", "booking", "amendment"]);
    expect(typesFor("seller").map((each) => each.name)).toContain("payment-request");
    expect(typesFor("admin")).toEqual([]);
  });
});

describe("the form of a card", () => {
  it("parses amounts into integers", () => {
    expect(parseAmount("250", "EUR")).toBe(25_000);
    expect(parseAmount("1 250,5", "EUR")).toBe(125_050);
    expect(parseAmount("0.29", "EUR")).toBe(29);
    expect(parseAmount("1200", "JPY")).toBe(1200);
    for (const wrong of ["", "0", "-4", "1.234", "1e3", "ten", "9999999999999999"])
      expect(parseAmount(wrong, "EUR")).toBeNull();
    expect(parseAmount("1.5", "JPY")).toBeNull();
    expect(formatAmount(125_050, "EUR")).toMatch(/1.?250[.,]50/);
    expect(formatAmount(5, "nonsense")).toBe("5 nonsense");
  });

  it("omits empty fields", () => {
    const checked = checkCard(
      known("offer"),
      { amount: "10", currency: "EUR", note: " ", expiresAt: "" },
      [],
      NOW,
    );
    expect(checked).toEqual({ payload: { amount: 1000, currency: "EUR" } });
  });

  it("reports an error for each field", () => {
    expect(checkCard(known("amendment"), { title: " ", text: "x".repeat(8001) }, [], NOW)).toEqual({
      errors: { title: "Required.", text: "At most 8000 characters." },
    });
    const past = checkCard(
      known("offer"),
      { amount: "x", currency: "EUR", expiresAt: "2020-01-01T10:00" },
      [],
      NOW,
    );
    expect("errors" in past && Object.keys(past.errors)).toEqual(["amount", "expiresAt"]);
  });

  it("refuses a booking that ends before it starts", () => {
    const values = { startsAt: "2027-01-02T10:00", endsAt: "2027-01-02T09:00" };
    expect(checkCard(known("booking"), values, [], NOW)).toEqual({
      errors: { endsAt: "The end must be after the start." },
    });
  });

  it("keeps the files of a delivery", () => {
    expect(checkCard(known("delivery"), { title: "Prints" }, ["f1", "f2"], NOW)).toEqual({
      payload: { title: "Prints", files: ["f1", "f2"] },
    });
  });
});
