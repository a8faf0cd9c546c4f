// Requests for what events of threads, inboxes and workspaces leave out.
import { loadCounts } from "../actions/inboxes";
import { loadThread } from "../actions/threads";
import { loadWorkspaces } from "../actions/workspaces";
import { store } from "../store/store";
import type { LiveEvent } from "./frames";

const ignore = () => undefined;
const FIRST_PAGE = 50;
const SPREAD_MS = 4000;
const counting = new Set<string>();

/** Request what an event leaves out. */
export function followUp(event: LiveEvent): void {
  switch (event.t) {
    case "ready":
      // It includes only the first page.
      if (event.d.workspaces.length >= FIRST_PAGE) void loadWorkspaces().catch(ignore);
      return;
    case "thread.created":
      void loadThread(event.d.threadId).catch(ignore);
      return;
    case "message.created":
      if (event.d.roomKind === "thread" && !(event.d.roomId in store.get().threads))
        void loadThread(event.d.roomId).catch(ignore);
      return;
    case "inbox.message": {
      const { tenant, inbox, audience } = event.d;
      if (audience !== "everyone" || counting.has(inbox)) return;
      // All users receive a broadcast at the same time: spread their requests.
      counting.add(inbox);
      setTimeout(() => {
        counting.delete(inbox);
        void loadCounts({ tenant, inbox }).catch(ignore);
      }, Math.random() * SPREAD_MS);
    }
  }
}
