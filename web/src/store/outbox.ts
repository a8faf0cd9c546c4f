// The outbox: messages that the server does not have yet. They survive a reload.
import type { Change } from "./changes";
import type { Outgoing, State } from "./state";

export function reduceOutbox(state: State, change: Change): State {
  switch (change.t) {
    case "own.queued":
      return {
        ...state,
        outbox: [...withoutNonce(state.outbox, change.d.outgoing.nonce), change.d.outgoing],
      };
    case "own.outgoing":
      return {
        ...state,
        outbox: state.outbox.map((each) => {
          if (each.nonce !== change.d.nonce) return each;
          const { why: _before, ...rest } = each;
          return {
            ...rest,
            state: change.d.state,
            ...(change.d.why === undefined ? {} : { why: change.d.why }),
          };
        }),
      };
    case "own.sent":
    case "own.withdrawn":
      return { ...state, outbox: withoutNonce(state.outbox, change.d.nonce) };
    case "message.created":
      // The event may arrive before the response: it then replaces the outgoing message.
      return change.d.nonce === undefined
        ? state
        : { ...state, outbox: withoutNonce(state.outbox, change.d.nonce) };
    default:
      return state;
  }
}

function withoutNonce(outbox: readonly Outgoing[], nonce: string): Outgoing[] {
  return outbox.filter((each) => each.nonce !== nonce);
}

// One entry for each message, so that two tabs do not overwrite each other's.
const prefixOf = (userId: string): string => `sobremesa.outbox.${userId}.`;

export function keep(userId: string, outgoing: Outgoing): void {
  try {
    localStorage.setItem(prefixOf(userId) + outgoing.nonce, JSON.stringify(outgoing));
  } catch {
    // The storage is full: the message is still being sent, but does not survive a reload.
  }
}

export function discardSaved(userId: string, nonce: string): void {
  localStorage.removeItem(prefixOf(userId) + nonce);
}

/** The messages that a previous page had not sent, oldest first. */
export function kept(userId: string): Outgoing[] {
  const found: Outgoing[] = [];
  for (let index = 0; index < localStorage.length; index++) {
    const key = localStorage.key(index);
    if (!key?.startsWith(prefixOf(userId))) continue;
    try {
      const outgoing = JSON.parse(localStorage.getItem(key) ?? "") as Outgoing;
      found.push(outgoing.state === "failed" ? outgoing : { ...outgoing, state: "waiting" });
    } catch {
      localStorage.removeItem(key);
    }
  }
  return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}
