// Marks shown messages as read, and keeps the position of the "New" line.
import { useCallback, useEffect, useRef, useState } from "react";
import { loadReaders, markRead } from "../../actions/room";
import type { RoomRef } from "../../api/shapes";
import { roomEntry } from "../../store/selectors";
import { roomKey } from "../../store/state";
import { store, useStore } from "../../store/store";

const SETTLED_MS = 350;

function isPageActive(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}

export function useReading(room: RoomRef) {
  const key = roomKey(room);
  const [unreadAfter, setUnreadAfter] = useState<string | null>(() => startOfUnread(room));
  const [isAtEnd, setAtEnd] = useState(unreadAfter === null);
  const [isActive, setActive] = useState(isPageActive);
  const hasUnread = useStore((state) => roomEntry(state, room)?.unread.count !== 0);
  const see = useMarkRead(room, isActive, hasUnread);

  useEffect(() => {
    if (room.kind === "channel") return;
    const isNew = (roomEntry(store.get(), room)?.unread.count ?? 0) > 0;
    loadReaders(room).then(
      () => {
        const mine = lastReadIn(store.get(), room);
        if (isNew) setUnreadAfter((before) => before ?? mine ?? "");
      },
      () => undefined,
    );
  }, [room]);

  useEffect(() => {
    const look = () => {
      const now = isPageActive();
      setActive(now);
      // When the user leaves the page with everything read, the "New" line starts here.
      const state = store.get();
      if (!now && roomEntry(state, room)?.unread.count === 0) setUnreadAfter(newestIn(state, room));
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

  useEffect(() => {
    store.apply({ t: "own.opened", d: { room: key } });
    return () => store.apply({ t: "own.opened", d: { room: null } });
  }, [key]);

  const isViewing = isAtEnd && isActive;
  useEffect(() => {
    store.apply({ t: "own.viewing", d: { room: isViewing ? key : null } });
    return () => store.apply({ t: "own.viewing", d: { room: null } });
  }, [isViewing, key]);

  const readAll = useCallback(() => {
    setUnreadAfter(null);
    const last = newestIn(store.get(), room);
    if (last !== null) void markRead(room, last).catch(() => undefined);
  }, [room]);

  return { unreadAfter, setUnreadAfter, isAtEnd, setAtEnd, see, readAll };
}

/** Marks messages as read once scrolling has settled. The result takes the newest message in view. */
function useMarkRead(room: RoomRef, isActive: boolean, hasUnread: boolean): (messageId: string) => void {
  const seen = useRef("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const settle = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!isPageActive() || seen.current === "") return;
      const state = store.get();
      const isNewest = seen.current === newestIn(state, room);
      const isCounted = roomEntry(state, room)?.unread.count !== 0;
      if (seen.current > (lastReadIn(state, room) ?? "") || (isNewest && isCounted))
        void markRead(room, seen.current).catch(() => undefined);
    }, SETTLED_MS);
  }, [room]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (isActive && hasUnread) settle();
  }, [isActive, hasUnread, settle]);
  return useCallback(
    (messageId) => {
      if (messageId <= seen.current) return;
      seen.current = messageId;
      settle();
    },
    [settle],
  );
}

/** The last message of the room, whether or not it is loaded. */
function newestIn(state: ReturnType<typeof store.get>, room: RoomRef): string | null {
  const log = state.logs[roomKey(room)];
  const loaded = log?.hasNewer === true ? undefined : log?.messages.at(-1)?.messageId;
  return loaded ?? roomEntry(state, room)?.lastMessageId ?? null;
}

function lastReadIn(state: ReturnType<typeof store.get>, room: RoomRef): string | null | undefined {
  if (room.kind === "channel") return state.channels[room.id]?.lastReadMessageId;
  return state.readings[roomKey(room)]?.[state.me?.userId ?? ""]?.lastReadMessageId;
}

function startOfUnread(room: RoomRef): string | null {
  const channel = room.kind === "channel" ? store.get().channels[room.id] : undefined;
  return channel !== undefined && channel.unread.count > 0 ? (channel.lastReadMessageId ?? "") : null;
}
