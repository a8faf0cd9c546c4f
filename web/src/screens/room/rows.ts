// The rows of a room: messages and the separators between them.
import type { Message } from "../../api/shapes";
import type { Log, Outgoing, Reading } from "../../store/state";
import { dayKey } from "../../view/times";

export type Row =
  | { kind: "beginning" }
  | { kind: "loading"; where: "older" | "newer" }
  | { kind: "day"; at: string }
  | { kind: "new" }
  | { kind: "message"; message: Message; isHead: boolean; seenBy: readonly Reading[] }
  | { kind: "outgoing"; outgoing: Outgoing; isHead: boolean };

const GROUP_MS = 7 * 60_000;

export function rowsOf(
  log: Log,
  outbox: readonly Outgoing[],
  me: string,
  unreadAfter: string | null,
  readings: readonly Reading[],
): Row[] {
  const rows: Row[] = [log.hasOlder ? { kind: "loading", where: "older" } : { kind: "beginning" }];
  const seen = seenAt(log.messages, readings, me);
  let before: { authorId: string; createdAt: string; deleted: boolean } | null = null;
  let isLineDrawn = unreadAfter === null;
  for (const message of log.messages) {
    if (before === null || dayKey(before.createdAt) !== dayKey(message.createdAt)) {
      rows.push({ kind: "day", at: message.createdAt });
      before = null;
    }
    const isNews = message.authorId !== me && message.type !== "system";
    if (!isLineDrawn && message.messageId > (unreadAfter ?? "") && isNews) {
      rows.push({ kind: "new" });
      isLineDrawn = true;
      before = null;
    }
    const isHead = !continues(before, message) || message.replyTo !== null;
    rows.push({ kind: "message", message, isHead, seenBy: seen.get(message.messageId) ?? [] });
    // Cards and notices stand alone: the message after them shows its author.
    before = message.type === "action" || message.type === "system" ? { ...message, authorId: "" } : message;
  }
  if (log.hasNewer) {
    rows.push({ kind: "loading", where: "newer" });
    return rows;
  }
  for (const outgoing of outbox) {
    const sent = { authorId: me, createdAt: outgoing.createdAt, deleted: false };
    if (before !== null && dayKey(before.createdAt) !== dayKey(sent.createdAt)) {
      rows.push({ kind: "day", at: sent.createdAt });
      before = null;
    }
    rows.push({ kind: "outgoing", outgoing, isHead: !continues(before, sent) || outgoing.replyTo !== null });
    before = sent;
  }
  return rows;
}

export function keyOf(row: Row): string {
  switch (row.kind) {
    case "message":
      return row.message.messageId;
    case "outgoing":
      return row.outgoing.nonce;
    case "day":
      return `day ${dayKey(row.at)}`;
    case "loading":
      return `loading ${row.where}`;
    default:
      return row.kind;
  }
}

/** The estimated height of a row until it is measured. */
export function estimate(row: Row): number {
  if (row.kind === "message") {
    if (row.message.type === "action") return row.message.replyTo === null ? 220 : 40;
    if (row.message.type === "system") return 32;
    const lines = Math.ceil(row.message.content.length / 70) + row.message.content.split("\n").length - 1;
    return (row.isHead ? 38 : 6) + Math.max(1, lines) * 22 + row.message.attachments.length * 220;
  }
  return row.kind === "loading" ? 240 : row.kind === "beginning" ? 120 : 40;
}

function continues(
  before: { authorId: string; createdAt: string } | null,
  now: { authorId: string; createdAt: string },
): boolean {
  if (before === null || before.authorId !== now.authorId) return false;
  return Date.parse(now.createdAt) - Date.parse(before.createdAt) < GROUP_MS;
}

/** The other readers by the last message that they have read. */
function seenAt(
  messages: readonly Message[],
  readings: readonly Reading[],
  me: string,
): Map<string, Reading[]> {
  const found = new Map<string, Reading[]>();
  for (const reading of readings) {
    if (reading.userId === me || reading.lastReadMessageId === null) continue;
    const lastRead = reading.lastReadMessageId;
    const message = messages.findLast((each) => each.messageId <= lastRead);
    if (message === undefined) continue;
    found.set(message.messageId, [...(found.get(message.messageId) ?? []), reading]);
  }
  return found;
}
