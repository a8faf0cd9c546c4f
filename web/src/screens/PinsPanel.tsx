// The pinned messages of a room.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { loadPins, pin } from "../actions/room";
import { errorText } from "../api/problems";
import type { RoomRef } from "../api/shapes";
import { Markdown, type Names } from "../markdown/Markdown";
import { roomKey } from "../store/state";
import { useStore } from "../store/store";
import { IconButton } from "../view/Icon";
import { messageTime } from "../view/times";
import { toastError } from "../view/toasts";
import { SidePanel } from "./SidePanel";
import { shownName } from "../view/names";

interface PinsPanelProps {
  room: RoomRef;
  path: string;
  canPin: boolean;
  names: Names;
  onClose: () => void;
}

export function PinsPanel({ room, path, canPin, names, onClose }: PinsPanelProps) {
  const pins = useStore((state) => state.pins[roomKey(room)]);
  const [error, setError] = useState<unknown>(null);
  const [, navigate] = useLocation();
  useEffect(() => {
    loadPins(room).catch(setError);
  }, [room]);
  const unpin = (messageId: string) => void pin(room, messageId, false).catch(toastError);
  return (
    <SidePanel title="Pinned" onClose={onClose}>
      {error !== null && <p className="form-error">{errorText(error)}</p>}
      {pins === undefined && error === null && <div className="skeleton skeleton-pin" />}
      {pins?.length === 0 && <p className="note sidebar-note">No pinned messages.</p>}
      <ul className="pins">
        {pins?.map(({ message }) => (
          <li key={message.messageId} className="pin">
            <header>
              <strong>{shownName(message)}</strong>
              <time className="note">{messageTime(message.createdAt)}</time>
              {canPin && (
                <IconButton icon="close" size={14} label="Unpin" onClick={() => unpin(message.messageId)} />
              )}
            </header>
            <Markdown text={message.content === "" ? "Attachment" : message.content} names={names} />
            <button type="button" className="link" onClick={() => navigate(`${path}/${message.messageId}`)}>
              Jump to message
            </button>
          </li>
        ))}
      </ul>
    </SidePanel>
  );
}
