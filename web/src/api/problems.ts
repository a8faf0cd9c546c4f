// Errors of a request: the server refused it (Problem), or did not respond (Unreachable).
import { sizeOf } from "../view/sizes";

/** An error response of the server (RFC 9457). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: number | null;
  /** The largest accepted size in bytes, where the body was too large. */
  readonly limit: number | null;
  readonly fields: Readonly<Record<string, string>>;
  /** The current version, where the request named an older one. */
  readonly current: unknown;

  constructor(status: number, body: unknown) {
    const problem = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
    super(
      typeof problem["detail"] === "string" ? problem["detail"] : `The server returned an error (${status}).`,
    );
    this.status = status;
    this.code = typeof problem["code"] === "string" ? problem["code"] : "unknown";
    this.retryAfter = typeof problem["retryAfter"] === "number" ? problem["retryAfter"] : null;
    this.limit = typeof problem["limit"] === "number" ? problem["limit"] : null;
    this.fields = fieldsOf(problem["errors"]);
    this.current = problem["current"];
  }

  /** Whether the same request may succeed later without a change. */
  get isTransient(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** The request or its response did not arrive. */
export class Unreachable extends Error {
  constructor() {
    super("Can't reach the server.");
  }
}

/** The session has ended; the user has to sign in again. */
export class SignedOut extends Error {
  constructor() {
    super("You're signed out.");
  }
}

/** The text to show for anything that was thrown. */
export function errorText(error: unknown): string {
  if (error instanceof Problem) {
    if (error.status === 413 && error.limit !== null)
      return `Too large: the limit is ${sizeOf(error.limit)}.`;
    const [first] = Object.values(error.fields);
    return first === undefined ? error.message : first;
  }
  return error instanceof Error ? error.message : "Something went wrong. Try again.";
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
