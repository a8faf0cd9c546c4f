// Sending: a message is shown at once, sent in order, and created exactly once, by its nonce.
import { request } from "../api/client";
import { Problem, SignedOut, errorText } from "../api/problems";
import type { Attachment, Message, RoomRef } from "../api/shapes";
import { keep, kept, discardSaved } from "../store/outbox";
import { roomKey, type Outgoing, type RoomKey } from "../store/state";
import { store } from "../store/store";
import { routes, stopTyping } from "./room";

const ATTEMPTS = 4;
const LONGEST_WAIT = 10;

/** One queue per room, so that messages arrive in order. */
const queues = new Map<RoomKey, Promise<void>>();
const inFlight = new Set<string>();

export function send(
  room: RoomRef,
  content: string,
  replyTo: string | null,
  attachments: Attachment[],
): void {
  const outgoing: Outgoing = {
    nonce: crypto.randomUUID(),
    room,
    content,
    replyTo,
    attachments,
    createdAt: new Date().toISOString(),
    state: "sending",
  };
  const me = store.get().me;
  if (me !== null) keep(me.userId, outgoing);
  stopTyping(room, true);
  store.apply({ t: "own.queued", d: { outgoing } });
  enqueue(outgoing);
}

export function retry(nonce: string): void {
  const outgoing = store.get().outbox.find((each) => each.nonce === nonce);
  if (outgoing === undefined) return;
  store.apply({ t: "own.outgoing", d: { nonce, state: "sending" } });
  enqueue(outgoing);
}

export function withdraw(nonce: string): void {
  const me = store.get().me;
  if (me !== null) discardSaved(me.userId, nonce);
  store.apply({ t: "own.withdrawn", d: { nonce } });
}

/** Send all waiting messages again, once the connection is back. */
export function resendWaiting(): void {
  for (const outgoing of store.get().outbox) if (outgoing.state === "waiting") retry(outgoing.nonce);
}

/** Queue the messages that a previous page had not sent. */
export function restoreOutbox(userId: string): void {
  for (const outgoing of kept(userId)) store.apply({ t: "own.queued", d: { outgoing } });
}

function enqueue(outgoing: Outgoing): void {
  if (inFlight.has(outgoing.nonce)) return;
  inFlight.add(outgoing.nonce);
  const key = roomKey(outgoing.room);
  const before = queues.get(key) ?? Promise.resolve();
  const after = before.then(() => deliver(outgoing)).finally(() => inFlight.delete(outgoing.nonce));
  queues.set(key, after);
}

async function deliver(outgoing: Outgoing): Promise<void> {
  const { nonce, room } = outgoing;
  const me = store.get().me;
  try {
    const message = await post(outgoing);
    if (me !== null) discardSaved(me.userId, nonce);
    store.apply({ t: "own.sent", d: { nonce, message } });
  } catch (error) {
    if (error instanceof Problem) {
      const why = errorText(error);
      store.apply({ t: "own.outgoing", d: { nonce, state: "failed", why } });
      if (me !== null) keep(me.userId, { ...outgoing, room, state: "failed", why });
    } else if (!(error instanceof SignedOut)) {
      store.apply({ t: "own.outgoing", d: { nonce, state: "waiting" } });
    }
  }
}

/** Post a message; on a transient error wait as long as the server asks, and retry. */
async function post({ nonce, room, content, replyTo, attachments }: Outgoing): Promise<Message> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await request("post", `${routes(room)}/messages`, {
        path: { roomId: room.id },
        body: { content, nonce, replyTo, attachments: attachments.map((each) => each.fileId) },
      });
    } catch (error) {
      if (!(error instanceof Problem) || !error.isTransient || attempt === ATTEMPTS) throw error;
      const seconds = Math.min(LONGEST_WAIT, error.retryAfter ?? attempt);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}
