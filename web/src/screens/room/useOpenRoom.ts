// Opens a room at the message of the URL, at the first unread one, or at the end.
import { useCallback, useEffect, useRef, useState } from "react";
import { loadAround, openRoom } from "../../actions/room";
import type { Message, RoomRef } from "../../api/shapes";
import { roomEntry } from "../../store/selectors";
import { roomKey } from "../../store/state";
import { store, useStore } from "../../store/store";
import type { RowListHandle } from "../../view/RowList";

const MARKED_MS = 2400;

/** Load a room; `onUnread` receives the last read message if unread ones follow. */
export function useOpenRoom(room: RoomRef, target: string | null, onUnread: (after: string) => void) {
  const isLoaded = useStore((state) => roomKey(room) in state.logs);
  const [error, setError] = useState<unknown>(null);
  const [isPlaced, setPlaced] = useState(() => target !== null || (isLoaded && !hasUnread(room)));
  const [startsUnread, setStartsUnread] = useState(false);
  const open = useCallback(() => {
    setError(null);
    openRoom(room).then((after) => {
      if (after !== null) {
        onUnread(after);
        setStartsUnread(true);
      }
      setPlaced(true);
    }, setError);
  }, [room, onUnread]);
  const isWanted = target === null && (!isLoaded || !isPlaced);
  useEffect(() => {
    if (isWanted) open();
  }, [isWanted, open]);
  return { isOpen: isLoaded && isPlaced, startsUnread, error, setError, open };
}

function hasUnread(room: RoomRef): boolean {
  return (roomEntry(store.get(), room)?.unread.count ?? 0) > 0;
}

/** Scroll to the message of the URL: load the messages around it if needed, and highlight it for a moment. */
export function useJumpToTarget(
  room: RoomRef,
  target: string | null,
  list: React.RefObject<RowListHandle | null>,
  setMarked: (messageId: string | null) => void,
  setError: (error: unknown) => void,
): void {
  const logs = useRef<readonly Message[]>([]);
  logs.current = useStore((state) => state.logs[roomKey(room)]?.messages) ?? [];
  useEffect(() => {
    if (target === null) return;
    let isCurrent = true;
    const show = () => {
      if (!isCurrent) return;
      // The id of a date matches no message: take the first one after it.
      const messageId =
        logs.current.find((each) => each.messageId >= target)?.messageId ?? logs.current.at(-1)?.messageId;
      if (messageId === undefined) return;
      requestAnimationFrame(() => list.current?.toRow(messageId));
      setMarked(messageId);
      setTimeout(() => isCurrent && setMarked(null), MARKED_MS);
    };
    if (logs.current.some((each) => each.messageId === target)) show();
    else loadAround(room, target).then(() => setTimeout(show), setError);
    return () => {
      isCurrent = false;
      setMarked(null);
    };
  }, [room, target, list, setMarked, setError]);
}
