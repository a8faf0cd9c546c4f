// What can go wrong with a request: the server refused it (a Problem), or nobody answered (Unreachable).
import { sizeOf } from "../view/sizes";

/** A refusal of the server, by RFC 9457. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number | null;
  /** How many bytes are accepted, where there were too many. */
  readonly limit: number | null;
  readonly fields: Readonly<Record<string, string>>;
  /** How the thing is by now, where it has changed since it was seen. */
  readonly current: unknown;

  constructor(status: number, body: unknown) {
    const told = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    super(typeof told["detail"] === "string" ? told["detail"] : `The server answered ${status}.`);
    this.status = status;
    this.code = typeof told["code"] === "string" ? told["code"] : "unknown";
    this.retryAfter = typeof told["retryAfter"] === "number" ? told["retryAfter"] : null;
    this.limit = typeof told["limit"] === "number" ? told["limit"] : null;
    this.fields = fieldsOf(told["errors"]);
    this.current = told["current"];
  }

  /** Whether the same request may succeed later without a change. */
  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** The request did not come through, or its answer did not. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

/** The session is over; only signing in again helps. */
export class SignedOut extends Error {
  constructor() {
    super("You are signed out.");
  }
}

/** What to tell people about anything that was thrown. */
export function wordsFor(error: unknown): string {
  if (error instanceof Problem) {
    if (error.status === 413 && error.limit !== null)
      return `Too large: the limit is ${sizeOf(error.limit)}.`;
    const [first] = Object.values(error.fields);
    return first === undefined ? error.message : first;
  }
  return error instanceof Error ? error.message : "Something went wrong.";
}

function fieldsOf(errors: unknown): Record<string, string> {
  const fields: Record<string, string> = {};
  if (!Array.isArray(errors)) return fields;
  for (const each of errors as { pointer?: unknown; detail?: unknown }[]) {
    if (typeof each.pointer === "string" && typeof each.detail === "string")
      fields[each.pointer.replace(/^[/#]+/, "")] = each.detail;
  }
  return fields;
}
