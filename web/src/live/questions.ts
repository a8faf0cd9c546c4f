// The questions that events of threads, inboxes and workspaces leave open.
import { loadCounts } from "../actions/inboxes";
import { loadThread } from "../actions/threads";
import { loadWorkspaces } from "../actions/workspaces";
import { store } from "../store/store";
import type { LiveEvent } from "./frames";

const quietly = () => undefined;
const FIRST_PAGE = 50;
const SPREAD_MS = 4000;
const counting = new Set<string>();

/** Ask what an event does not tell. */
export function askAfter(event: LiveEvent): void {
  switch (event.t) {
    case "ready":
      // It brings the first page.
      if (event.d.workspaces.length >= FIRST_PAGE) void loadWorkspaces().catch(quietly);
      return;
    case "thread.created":
      void loadThread(event.d.threadId).catch(quietly);
      return;
    case "message.created":
      if (event.d.roomKind === "thread" && !(event.d.roomId in store.get().threads))
        void loadThread(event.d.roomId).catch(quietly);
      return;
    case "inbox.message": {
      const { tenant, inbox, audience } = event.d;
      if (audience !== "everyone" || counting.has(inbox)) return;
      // Everybody hears a broadcast in the same moment: they do not all ask in it.
      counting.add(inbox);
      setTimeout(() => {
        counting.delete(inbox);
        void loadCounts({ tenant, inbox }).catch(quietly);
      }, Math.random() * SPREAD_MS);
    }
  }
}
