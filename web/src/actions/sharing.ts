// Files of cards and tabs are sent with a message first, since other participants can read a file only once a message
// has it.
import { request } from "../api/client";
import type { Attachment } from "../api/shapes";
import { store } from "../store/store";
import { routes } from "./room";

export async function shareFiles(threadId: string, files: readonly Attachment[]): Promise<void> {
  const nonce = crypto.randomUUID();
  const message = await request("post", `${routes({ kind: "thread", id: threadId })}/messages`, {
    path: { roomId: threadId },
    body: { content: "", nonce, attachments: files.map((each) => each.fileId) },
  });
  store.apply({ t: "message.created", d: message });
}
