// Validates the form of a card: its payload, or an error for each field.
import type { CardType } from "./types";
import { parseAmount } from "./money";

export type Payload = Record<string, unknown>;
export type Checked = { payload: Payload } | { errors: Record<string, string> };

/** `values` are the typed fields, `files` the ids of uploads. */
export function checkCard(
  type: CardType,
  values: Readonly<Record<string, string>>,
  files: readonly string[],
  now: number,
): Checked {
  const payload: Payload = {};
  const errors: Record<string, string> = {};
  for (const field of type.fields) {
    const text = (values[field.name] ?? "").trim();
    if (field.kind === "money") {
      const currency = values["currency"] ?? "EUR";
      const amount = parseAmount(text, currency);
      if (amount === null) errors[field.name] = "Enter an amount, such as 250 or 250.50.";
      else Object.assign(payload, { amount, currency });
    } else if (field.kind === "files") {
      if (files.length > 0) payload[field.name] = files;
    } else if (text === "") {
      if (field.required) errors[field.name] = "Required.";
    } else if (field.kind === "moment") {
      const moment = new Date(text);
      if (Number.isNaN(moment.getTime())) errors[field.name] = "Enter a date and time.";
      else payload[field.name] = moment.toISOString();
    } else if (field.maxLength !== undefined && Array.from(text).length > field.maxLength) {
      errors[field.name] = `At most ${field.maxLength} characters.`;
    } else {
      payload[field.name] = text;
    }
  }
  checkTimes(payload, errors, now);
  return Object.keys(errors).length > 0 ? { errors } : { payload };
}

function checkTimes(payload: Payload, errors: Record<string, string>, now: number): void {
  const { startsAt, endsAt, expiresAt } = payload;
  if (typeof expiresAt === "string" && Date.parse(expiresAt) <= now)
    errors["expiresAt"] = "Choose a time in the future.";
  if (typeof startsAt === "string" && typeof endsAt === "string" && endsAt <= startsAt)
    errors["endsAt"] = "The end must be after the start.";
}

/** A time as a `datetime-local` input shows it, in the local time zone. */
export function localMoment(iso: string): string {
  const date = new Date(iso);
  const two = (part: number) => String(part).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
