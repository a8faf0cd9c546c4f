// Following: from the gateway to the store, and the questions that an event leaves open.
import { loadServer } from "../actions/communities";
import { loadConversation } from "../actions/conversations";
import { countUnread, loadPins, loadReaders, refresh } from "../actions/room";
import { sendWaiting, takeUpKept } from "../actions/sending";
import { accessToken, currentSession, end, onSession, renew } from "../api/session";
import { placeOfRoom } from "../store/selectors";
import { roomKey, type RoomKey, type ServerEntry } from "../store/state";
import { store } from "../store/store";
import { toast } from "../view/toasts";
import type { LiveEvent } from "./frames";
import { Gateway } from "./gateway";
import { askAfter } from "./questions";

const quietly = () => undefined;

/** Follow whoever is signed in, for as long as the page is open. */
export function follow(): void {
  const gateway = new Gateway({
    url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/gateway`,
    token: async (refused) =>
      refused === undefined ? await accessToken() : (await renew(refused)).accessToken,
    onEvent: hear,
    onLink: (link) => {
      store.apply({ t: "own.link", d: { link } });
      if (link === "live") sendWaiting();
    },
    onSignedOut: end,
  });
  let following: string | null = null;

  const turnTo = () => {
    const me = currentSession()?.user ?? null;
    if (following === (me?.userId ?? null)) return;
    following = me?.userId ?? null;
    gateway.stop();
    store.apply({ t: "own.session", d: { me: null } });
    if (me === null) return;
    store.apply({ t: "own.session", d: { me } });
    takeUpKept(me.userId);
    gateway.start();
  };
  onSession(turnTo);
  turnTo();

  addEventListener("online", () => gateway.wake());
  addEventListener("offline", () => gateway.lose());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") gateway.wake();
  });
}

function hear(event: LiveEvent): void {
  const wasReady = store.get().isReady;
  const left = ownServerLeft(event);
  store.apply(event);
  askAfter(event);
  switch (event.t) {
    case "ready":
      // A second `ready` stands in place of events that are no longer to be had.
      if (wasReady) makeTrue();
      return;
    case "member.left":
      if (left !== undefined && !isOpen(event.d.serverId))
        toast(`You're no longer a member of ${left.name}.`);
      return;
    case "pin.added": {
      const room = { kind: event.d.roomKind, id: event.d.roomId };
      if (roomKey(room) in store.get().pins) void loadPins(room).catch(quietly);
      return;
    }
    case "server.created":
      void loadServer(event.d).catch(quietly);
      return;
    case "conversation.created":
      void loadConversation(event.d.convoId).catch(quietly);
      return;
    case "message.created":
      if (event.d.roomKind === "conversation" && !(event.d.roomId in store.get().conversations))
        void loadConversation(event.d.roomId).catch(quietly);
      return;
    case "participant.joined":
    case "participant.left": {
      const room = { kind: event.d.roomKind, id: event.d.roomId };
      if (roomKey(room) in store.get().readings) void loadReaders(room).catch(quietly);
      if (room.kind === "conversation" && room.id in store.get().conversations)
        void loadConversation(room.id).catch(quietly);
      return;
    }
    case "read.updated": {
      const { roomKind, roomId, userId, lastReadMessageId } = event.d;
      const state = store.get();
      const last = placeOfRoom(state, { kind: roomKind, id: roomId })?.lastMessageId;
      if (userId === state.me?.userId && (last ?? "") > lastReadMessageId)
        void countUnread({ kind: roomKind, id: roomId }).catch(quietly);
    }
  }
}

/** The community that one is no longer in by this event, if it is about oneself. */
function ownServerLeft(event: LiveEvent): ServerEntry | undefined {
  const { me, servers } = store.get();
  if (event.t !== "member.left" || event.d.userId !== me?.userId) return undefined;
  return servers[event.d.serverId];
}

function makeTrue(): void {
  for (const key of Object.keys(store.get().logs) as RoomKey[]) {
    const [kind, id] = key.split(":") as ["channel" | "conversation" | "thread", string];
    const room = { kind, id };
    // What nobody looks at is asked for again when somebody does.
    if (isOpen(id)) void refresh(room).catch(quietly);
    else store.apply({ t: "own.forgotten", d: { room } });
  }
}

function isOpen(roomId: string): boolean {
  return location.pathname.split("/").includes(roomId);
}
