// Threads: create, status, participants, cards, and the project panel.
import { request } from "../api/client";
import { Problem } from "../api/problems";
import type { Card, JsonObject, Message, RoomRef, TabName, Thread, ThreadRole } from "../api/shapes";
import { routes } from "./room";
import { loadBeside } from "../store/loading";
import { store } from "../store/store";

export interface NewThread {
  kind: Thread["kind"];
  sellerUserId: string;
  listingId: string | null;
  city: string | null;
}

/** Return the id of a thread with a seller: a new one, or the existing inquiry. */
export async function startThread(wanted: NewThread): Promise<string> {
  const thread = await request("post", "/v1/threads", { body: wanted });
  store.apply({ t: "own.threads", d: { threads: [thread] } });
  return thread.threadId;
}

/** Load a page of threads; returns the cursor of the next one, or null. */
export async function loadThreads(cursor: string | null): Promise<string | null> {
  const query = { limit: 50, ...(cursor === null ? {} : { cursor }) };
  const answer = await request("get", "/v1/threads", { query });
  store.apply({ t: "own.threads", d: { threads: answer.items } });
  return answer.next;
}

export async function loadThread(threadId: string): Promise<void> {
  try {
    const thread = await request("get", "/v1/threads/{threadId}", { path: { threadId } });
    store.apply({ t: "own.threads", d: { threads: [thread] } });
  } catch (error) {
    // The user has just left, or was never a participant.
    if (!(error instanceof Problem && error.status === 404)) throw error;
  }
}

export async function setStatus(threadId: string, status: Thread["status"]): Promise<void> {
  const thread = await request("patch", "/v1/threads/{threadId}", { path: { threadId }, body: { status } });
  store.apply({ t: "own.threads", d: { threads: [thread] } });
}

export async function loadSeats(threadId: string): Promise<void> {
  const events = ["participant.joined", "participant.updated", "participant.left"] as const;
  await loadBeside(store, events, async () => {
    const answer = await request("get", "/v1/threads/{threadId}/participants", {
      path: { threadId },
      query: { limit: 100 },
    });
    const people = answer.items.map((person) => ({ t: "own.person", d: { person } }) as const);
    return [{ t: "own.seats", d: { threadId, seats: answer.items } }, ...people];
  });
}

export async function addToThread(threadId: string, userId: string, roleContext: ThreadRole): Promise<void> {
  await request("post", "/v1/threads/{threadId}/participants", {
    path: { threadId },
    body: { userId, roleContext },
  });
  await loadSeats(threadId);
}

export async function removeFromThread(threadId: string, userId: string): Promise<void> {
  await request("delete", "/v1/threads/{threadId}/participants/{userId}", { path: { threadId, userId } });
  store.apply({ t: "participant.left", d: { roomKind: "thread", roomId: threadId, userId } });
}

/** Mute a participant until a time; null unmutes them. */
export async function muteInThread(
  threadId: string,
  userId: string,
  blockedUntil: string | null,
): Promise<void> {
  await request("patch", "/v1/threads/{threadId}/participants/{userId}", {
    path: { threadId, userId },
    body: { blockedUntil },
  });
  await loadSeats(threadId);
}

// Cards

export async function loadCards(threadId: string): Promise<void> {
  const answer = await request("get", "/v1/threads/{threadId}/cards", {
    path: { threadId },
    query: { limit: 100 },
  });
  store.apply({ t: "own.cards", d: { threadId, cards: answer.items } });
}

/** Load a card that is older than the loaded page. */
export async function loadCard(threadId: string, messageId: string): Promise<void> {
  const card = await request("get", "/v1/threads/{threadId}/cards/{messageId}", {
    path: { threadId, messageId },
  });
  store.apply({ t: "own.cards", d: { threadId, cards: [card] } });
}

export async function createCard(threadId: string, type: string, payload: JsonObject): Promise<void> {
  const card = await request("post", "/v1/threads/{threadId}/cards", {
    path: { threadId },
    body: { type, payload },
  });
  store.apply({ t: "own.cards", d: { threadId, cards: [card] } });
}

/** Make a transition of a card. On a conflict the current card is shown, and the result is false. */
export async function moveCard(card: Card, to: string, payload: JsonObject | null): Promise<boolean> {
  const { threadId, messageId, version } = card;
  try {
    const moved = await request("post", "/v1/threads/{threadId}/cards/{messageId}/transitions", {
      path: { threadId, messageId },
      body: { to, version, ...(payload === null ? {} : { payload }) },
    });
    store.apply({ t: "own.cards", d: { threadId, cards: [moved] } });
    return true;
  } catch (error) {
    const current = error instanceof Problem && error.status === 409 ? error.current : undefined;
    if (typeof current !== "object" || current === null) throw error;
    store.apply({ t: "own.cards", d: { threadId, cards: [current as Card] } });
    return false;
  }
}

/** Return the transitions of a card in order, from the messages after it. */
export async function historyOf(card: Card): Promise<Message[]> {
  const room: RoomRef = { kind: "thread", id: card.threadId };
  const path = { roomId: card.threadId };
  const moves: Message[] = [];
  let after = card.messageId;
  for (let page = 0; page < MOST_PAGES && moves.length < card.version - 1; page++) {
    const answer = await request("get", `${routes(room)}/messages`, { path, query: { limit: 100, after } });
    const messages = answer.items;
    moves.push(...messages.filter((each) => transitionTarget(each) === card.messageId));
    const last = messages.at(-1);
    if (last === undefined || answer.next === null) break;
    after = last.messageId;
  }
  return moves;
}

const MOST_PAGES = 50;

/** The id of the card that a message made a transition of, or null. */
export function transitionTarget(message: Message): string | null {
  const action = message.action;
  const answered = action?.["answered"] as JsonObject | undefined;
  const cardId = action?.["cardId"] ?? answered?.["cardId"];
  return typeof cardId === "string" ? cardId : null;
}

// The panel

export async function loadPanel(threadId: string): Promise<void> {
  await loadBeside(store, ["tab.updated"], async () => {
    const answer = await request("get", "/v1/threads/{threadId}/panel", { path: { threadId } });
    return [{ t: "own.panel", d: { threadId, tabs: answer.tabs } }];
  });
}

/** Write a tab over a known version. On a conflict the current tab is shown, and the result is false. */
export async function putTab(
  threadId: string,
  tab: TabName,
  content: object,
  seen: number,
): Promise<boolean> {
  const path = { threadId, tab };
  try {
    const fresh = await request("put", "/v1/threads/{threadId}/tabs/{tab}", {
      path,
      body: { content: content as JsonObject, sourceVersion: seen + 1 },
    });
    store.apply({ t: "own.panel", d: { threadId, tabs: [fresh] } });
    return true;
  } catch (error) {
    if (!(error instanceof Problem && error.status === 409 && error.code === "stale_version")) throw error;
    const current = await request("get", "/v1/threads/{threadId}/tabs/{tab}", { path });
    store.apply({ t: "own.panel", d: { threadId, tabs: [current] } });
    return false;
  }
}

const ATTEMPTS = 3;
const changing = new Map<string, Promise<void>>();

/**
 * Change a part of a tab, shown at once. Changes of one tab are sent in order; on a conflict the change is applied to
 * the current content.
 */
export async function changeTab(
  threadId: string,
  tab: TabName,
  how: (content: unknown) => object,
): Promise<void> {
  const key = `${threadId} ${tab}`;
  const work = changed(changing.get(key), threadId, tab, how);
  changing.set(key, work);
  try {
    await work;
  } finally {
    if (changing.get(key) === work) changing.delete(key);
  }
}

async function changed(
  before: Promise<void> | undefined,
  threadId: string,
  tab: TabName,
  how: (content: unknown) => object,
): Promise<void> {
  if (before !== undefined) await before.catch(() => undefined);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = store.get().panels[threadId]?.[tab] ?? {
      threadId,
      tab,
      content: null,
      sourceVersion: 0,
      updatedAt: null,
      flags: null,
      nsfwBand: null,
    };
    const content = how(seen.content);
    store.apply({ t: "own.panel", d: { threadId, tabs: [{ ...seen, content }] } });
    try {
      if (await putTab(threadId, tab, content, seen.sourceVersion)) return;
    } catch (error) {
      store.apply({ t: "own.panel", d: { threadId, tabs: [seen] } });
      throw error;
    }
  }
  throw new Error("Someone else is editing this. Try again.");
}
