// Reading: what is in sight is read; where one stopped before is remembered for the line of what is new.
import { useCallback, useEffect, useState } from "react";
import { loadReaders, markRead } from "../../actions/room";
import type { RoomRef } from "../../api/shapes";
import { placeOfRoom } from "../../store/selectors";
import { roomKey } from "../../store/state";
import { store, useStore } from "../../store/store";

const SETTLED_MS = 350;

function isLooking(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

export function useReading(room: RoomRef) {
  const key = roomKey(room);
  const [isAtEnd, setAtEnd] = useState(true); // rooms open at their end
  const [looks, setLooks] = useState(isLooking);
  const [unreadAfter, setUnreadAfter] = useState<string | null>(() => startOfUnread(room));
  const newest = useStore((state) => state.logs[key]?.messages.at(-1)?.messageId ?? null);
  const hasUnread = useStore((state) => placeOfRoom(state, room)?.unread.count !== 0);

  useEffect(() => {
    if (room.kind === "channel") return;
    const isNew = (placeOfRoom(store.get(), room)?.unread.count ?? 0) > 0;
    loadReaders(room).then(
      () => {
        const state = store.get();
        const mine = state.readings[roomKey(room)]?.[state.me?.userId ?? ""];
        if (isNew) setUnreadAfter(mine?.lastReadMessageId ?? "");
      },
      () => undefined,
    );
  }, [room]);

  useEffect(() => {
    const look = () => {
      const now = isLooking();
      setLooks(now);
      // Whoever looks away while everything is read finds a line where they stopped.
      const state = store.get();
      if (!now && placeOfRoom(state, room)?.unread.count === 0) setUnreadAfter(newestIn(state, room));
    };
    addEventListener("focus", look);
    addEventListener("blur", look);
    document.addEventListener("visibilitychange", look);
    return () => {
      removeEventListener("focus", look);
      removeEventListener("blur", look);
      document.removeEventListener("visibilitychange", look);
    };
  }, [room]);

  const isViewing = isAtEnd && looks;
  useEffect(() => {
    store.apply({ t: "own.viewing", d: { room: isViewing ? key : null } });
    return () => store.apply({ t: "own.viewing", d: { room: null } });
  }, [isViewing, key]);

  useEffect(() => {
    if (!isViewing || newest === null) return;
    const lastRead = lastReadIn(store.get(), room);
    if (!hasUnread && lastRead === newest) return;
    const timer = setTimeout(() => void markRead(room, newest).catch(() => undefined), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [isViewing, newest, hasUnread, room]);

  const readAll = useCallback(() => {
    setUnreadAfter(null);
    const last = newestIn(store.get(), room);
    if (last !== null) void markRead(room, last).catch(() => undefined);
  }, [room]);

  return { unreadAfter, isAtEnd, setAtEnd, readAll };
}

/** The last message of the room, whether or not it is loaded. */
function newestIn(state: ReturnType<typeof store.get>, room: RoomRef): string | null {
  const log = state.logs[roomKey(room)];
  const loaded = log?.hasNewer === true ? undefined : log?.messages.at(-1)?.messageId;
  return loaded ?? placeOfRoom(state, room)?.lastMessageId ?? null;
}

function lastReadIn(state: ReturnType<typeof store.get>, room: RoomRef): string | null | undefined {
  if (room.kind === "channel") return state.channels[room.id]?.lastReadMessageId;
  return state.readings[roomKey(room)]?.[state.me?.userId ?? ""]?.lastReadMessageId;
}

function startOfUnread(room: RoomRef): string | null {
  const channel = room.kind === "channel" ? store.get().channels[room.id] : undefined;
  return channel !== undefined && channel.unread.count > 0 ? (channel.lastReadMessageId ?? "") : null;
}
