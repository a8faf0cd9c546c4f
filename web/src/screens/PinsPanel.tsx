// What is pinned in a room.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { listPins, pin } from "../actions/room";
import { wordsFor } from "../api/problems";
import type { RoomRef } from "../api/shapes";
import { Markdown, type Names } from "../markdown/Markdown";
import { roomKey } from "../store/state";
import { useStore } from "../store/store";
import { IconButton } from "../view/Icon";
import { messageTime } from "../view/times";
import { tellFailure } from "../view/toasts";
import { SidePanel } from "./SidePanel";

interface PinsPanelProps {
  room: RoomRef;
  path: string;
  canPin: boolean;
  names: Names;
  onClose: () => void;
}

type Pins = Awaited<ReturnType<typeof listPins>>;

export function PinsPanel({ room, path, canPin, names, onClose }: PinsPanelProps) {
  const changes = useStore((state) => state.pinChanges[roomKey(room)] ?? 0);
  const [pins, setPins] = useState<Pins | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [, navigate] = useLocation();
  useEffect(() => {
    let isCurrent = true;
    listPins(room).then(
      (found) => isCurrent && setPins(found),
      (failure: unknown) => isCurrent && setError(failure),
    );
    return () => {
      isCurrent = false;
    };
  }, [room, changes]);
  const unpin = (messageId: string) => {
    pin(room, messageId, false).then(
      () => setPins((all) => all?.filter((each) => each.message.messageId !== messageId) ?? null),
      tellFailure,
    );
  };
  return (
    <SidePanel title="Pinned" onClose={onClose}>
      {error !== null && <p className="form-error">{wordsFor(error)}</p>}
      {pins === null && error === null && <div className="skeleton skeleton-pin" />}
      {pins?.length === 0 && <p className="note sidebar-note">Nothing is pinned here.</p>}
      <ul className="pins">
        {pins?.map(({ message }) => (
          <li key={message.messageId} className="pin">
            <header>
              <strong>{message.username}</strong>
              <time className="note">{messageTime(message.createdAt)}</time>
              {canPin && (
                <IconButton icon="close" size={14} label="Unpin" onClick={() => unpin(message.messageId)} />
              )}
            </header>
            <Markdown text={message.content === "" ? "a file" : message.content} names={names} />
            <button type="button" className="link" onClick={() => navigate(`${path}/${message.messageId}`)}>
              Go there
            </button>
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}
