// Conversations: start, rename, and their participants.
import { request } from "../api/client";
import { Problem } from "../api/problems";
import type { Participant, User } from "../api/shapes";
import { store } from "../store/store";

const PAGE = 50;
let older: { userId: string; cursor: string | null } | null = null;

/** Load the next page of conversations that `ready` did not include; false if there are no more. */
export async function loadOlderConversations(): Promise<boolean> {
  const userId = store.get().me?.userId ?? "";
  if (older?.userId !== userId)
    older = { userId, cursor: (await request("get", "/v1/conversations", { query: { limit: PAGE } })).next };
  if (older.cursor === null) return false;
  const page = await request("get", "/v1/conversations", { query: { limit: PAGE, cursor: older.cursor } });
  for (const conversation of page.items) store.apply({ t: "own.conversation", d: { conversation } });
  older = { userId, cursor: page.next };
  return page.next !== null;
}

/** Find a user by their exact username. */
export async function findUser(username: string): Promise<User | null> {
  const answer = await request("get", "/v1/users", {
    query: { username: username.replace(/^@/, "").trim() },
  });
  return answer.items[0] ?? null;
}

/** Return the user with this username; throws an error to show in a form if there is none. */
export async function requireUser(username: string): Promise<User> {
  const user = await findUser(username);
  if (user === null) throw new Error(`No user named “${username}”.`);
  return user;
}

/** Return the id of the conversation with these users: the existing one, or a new one. */
export async function startConversation(userIds: string[], name: string | null): Promise<string> {
  const [only] = userIds;
  const isDirect = userIds.length === 1 && only !== undefined && name === null;
  const conversation = await request("post", "/v1/conversations", {
    body: isDirect ? { type: "direct", userIds } : { type: "group", userIds, name },
  });
  store.apply({ t: "own.conversation", d: { conversation } });
  return conversation.convoId;
}

export async function loadConversation(convoId: string): Promise<void> {
  try {
    const conversation = await request("get", "/v1/conversations/{convoId}", { path: { convoId } });
    store.apply({ t: "own.conversation", d: { conversation } });
  } catch (error) {
    // The user has just left, or was never a participant.
    if (!(error instanceof Problem && error.status === 404)) throw error;
  }
}

export async function renameConversation(convoId: string, name: string | null): Promise<void> {
  const conversation = await request("patch", "/v1/conversations/{convoId}", {
    path: { convoId },
    body: { name },
  });
  store.apply({ t: "own.conversation", d: { conversation } });
}

export async function listParticipants(convoId: string): Promise<Participant[]> {
  const path = { convoId };
  return (await request("get", "/v1/conversations/{convoId}/participants", { path, query: { limit: 100 } }))
    .items;
}

export async function addParticipant(convoId: string, userId: string): Promise<void> {
  await request("post", "/v1/conversations/{convoId}/participants", { path: { convoId }, body: { userId } });
}

export async function removeParticipant(convoId: string, userId: string): Promise<void> {
  await request("delete", "/v1/conversations/{convoId}/participants/{userId}", { path: { convoId, userId } });
}
