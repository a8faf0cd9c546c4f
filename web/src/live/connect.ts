// Connects the gateway to the store, and requests what an event leaves out.
import { loadServer } from "../actions/communities";
import { loadConversation } from "../actions/conversations";
import { countUnread, loadPins, loadReaders, refresh } from "../actions/room";
import { resendWaiting, restoreOutbox } from "../actions/sending";
import { gatewayUrl } from "../api/base";
import { accessToken, currentSession, endSession, onSession, renew } from "../api/session";
import { roomEntry } from "../store/selectors";
import { roomKey, type RoomKey, type ServerEntry, type State } from "../store/state";
import { store } from "../store/store";
import { toast } from "../view/toasts";
import type { ChannelActivity, LiveEvent } from "./frames";
import { Gateway } from "./gateway";
import { followUp } from "./followUps";

const ignore = () => undefined;

/** Keep a connection for the signed-in user for as long as the page is open. */
export function connect(): void {
  const gateway = new Gateway({
    url: gatewayUrl(location),
    token: async (refused) =>
      refused === undefined ? await accessToken() : (await renew(refused)).accessToken,
    onEvent: handleEvent,
    onLink: (link) => {
      store.apply({ t: "own.link", d: { link } });
      if (link === "live") resendWaiting();
    },
    onWatched: catchUp,
    onSignedOut: endSession,
  });
  store.subscribe(() => gateway.watch(watched(store.get())));
  let connectedAs: string | null = null;

  const switchUser = () => {
    const me = currentSession()?.user ?? null;
    if (connectedAs === (me?.userId ?? null)) return;
    connectedAs = me?.userId ?? null;
    gateway.stop();
    store.apply({ t: "own.session", d: { me: null } });
    if (me === null) return;
    store.apply({ t: "own.session", d: { me } });
    restoreOutbox(me.userId);
    gateway.start();
  };
  onSession(switchUser);
  switchUser();

  addEventListener("online", () => gateway.wake());
  addEventListener("offline", () => gateway.lose());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") gateway.wake();
  });
}

/** The channel on screen: in large communities, events come only for channels that are watched. */
function watched({ openRoom, channels }: State): readonly string[] {
  const id = openRoom?.startsWith("channel:") === true ? openRoom.slice("channel:".length) : "";
  return id in channels ? [id] : [];
}

function handleEvent(event: LiveEvent): void {
  if (event.t === "channel.activity") noteActivity(event.d);
  const wasReady = store.get().isReady;
  const removedFrom = serverToReport(event);
  store.apply(event);
  followUp(event);
  switch (event.t) {
    case "ready":
      // A second `ready` replaces events that the server no longer has.
      if (wasReady) refreshRooms();
      return;
    case "member.left":
      if (removedFrom !== undefined) toast(`You're no longer a member of ${removedFrom.name}.`);
      return;
    case "pin.added": {
      const room = { kind: event.d.roomKind, id: event.d.roomId };
      if (roomKey(room) in store.get().pins) void loadPins(room).catch(ignore);
      return;
    }
    case "server.created":
      void loadServer(event.d).catch(ignore);
      return;
    case "conversation.created":
      void loadConversation(event.d.convoId).catch(ignore);
      return;
    case "message.created":
      if (event.d.roomKind === "conversation" && !(event.d.roomId in store.get().conversations))
        void loadConversation(event.d.roomId).catch(ignore);
      return;
    case "participant.joined":
    case "participant.left": {
      const room = { kind: event.d.roomKind, id: event.d.roomId };
      if (roomKey(room) in store.get().readings) void loadReaders(room).catch(ignore);
      if (room.kind === "conversation" && room.id in store.get().conversations)
        void loadConversation(room.id).catch(ignore);
      return;
    }
    case "read.updated": {
      const { roomKind, roomId, userId, lastReadMessageId } = event.d;
      const state = store.get();
      const last = roomEntry(state, { kind: roomKind, id: roomId })?.lastMessageId;
      if (userId === state.me?.userId && (last ?? "") > lastReadMessageId)
        void countUnread({ kind: roomKind, id: roomId }).catch(ignore);
    }
  }
}

/** The community that this event removes the user from, unless its screen is open and reports it. */
function serverToReport(event: LiveEvent): ServerEntry | undefined {
  const { me, servers, channels, openRoom } = store.get();
  if (event.t !== "member.left" || event.d.userId !== me?.userId) return undefined;
  const open = Object.values(channels).find((each) => `channel:${each.channelId}` === openRoom);
  return open?.serverId === event.d.serverId ? undefined : servers[event.d.serverId];
}

/** The channels whose first activity since they are watched may be from before. */
const justWatched = new Set<string>();

/** Load what was missed between the page of a channel and the begin of its watch. */
function catchUp(channelIds: readonly string[]): void {
  justWatched.clear();
  for (const id of channelIds) {
    justWatched.add(id);
    void refresh({ kind: "channel", id }).catch(ignore);
  }
}

/** Load, or forget, what changed in loaded channels without an event. */
function noteActivity(activity: ChannelActivity): void {
  const { logs, channels, openRoom } = store.get();
  for (const { channelId, until } of activity.channels) {
    const room = { kind: "channel", id: channelId } as const;
    if (roomKey(room) === openRoom) {
      if (justWatched.delete(channelId)) void refresh(room).catch(ignore);
      continue;
    }
    if (roomKey(room) in logs) store.apply({ t: "own.forgotten", d: { room } });
    // The last message came as an event, such as a mention, but others may be before it.
    const last = channels[channelId]?.lastMessageId ?? "";
    if (until !== null && until <= last) void countUnread(room).catch(ignore);
  }
}

function refreshRooms(): void {
  for (const key of Object.keys(store.get().logs) as RoomKey[]) {
    const [kind, id] = key.split(":") as ["channel" | "conversation" | "thread", string];
    const room = { kind, id };
    // Rooms that are not on screen load again when they open.
    if (key === store.get().openRoom) void refresh(room).catch(ignore);
    else store.apply({ t: "own.forgotten", d: { room } });
  }
}
