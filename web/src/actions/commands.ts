// Slash commands: load those of a community, and call one.
import { request } from "../api/client";
import { store } from "../store/store";
import { toastError } from "../view/toasts";

const asked = new Map<string, number>();
const AGAIN_AFTER = 60_000;

/** Load the commands of a community, at most once a minute. */
export async function loadCommands(serverId: string): Promise<void> {
  const now = Date.now();
  if (now - (asked.get(serverId) ?? 0) < AGAIN_AFTER) return;
  asked.set(serverId, now);
  try {
    const answer = await request("get", "/v1/servers/{serverId}/commands", {
      path: { serverId },
      query: { limit: 100 },
    });
    store.apply({ t: "own.commands", d: { serverId, commands: answer.items } });
  } catch {
    asked.delete(serverId); // suggestions are a convenience: the next keystroke tries again
  }
}

/** Call a command; its private response comes as an event, a public one as a message. */
export async function callCommand(channelId: string, name: string, text: string): Promise<void> {
  try {
    await request("post", "/v1/channels/{channelId}/commands/{name}", {
      path: { channelId, name },
      body: { text, nonce: crypto.randomUUID() },
    });
  } catch (error) {
    toastError(error);
  }
}
