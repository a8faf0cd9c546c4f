// Editing a message in place: Enter saves, Escape cancels.
import { useEffect, useRef, useState } from "react";
import { edit } from "../../actions/room";
import type { Message } from "../../api/shapes";
import { toastError } from "../../view/toasts";
import { useRoom } from "./RoomContext";

export function MessageEdit({ message }: { message: Message }) {
  const { room, startEdit } = useRoom();
  const [text, setText] = useState(message.content);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const element = box.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  const save = () => {
    const content = text.trim();
    if (content === "" || content === message.content) {
      startEdit(null);
      return;
    }
    edit(room, message.messageId, content).then(() => startEdit(null), toastError);
  };
  return (
    <div className="message-edit">
      <textarea
        ref={box}
        className="input"
        aria-label="Edit message"
        value={text}
        maxLength={4000}
        rows={Math.min(8, text.split("\n").length)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") startEdit(null);
          else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            save();
          }
        }}
      />
      <div className="note">
        Escape to{" "}
        <button type="button" className="link" onClick={() => startEdit(null)}>
          cancel
        </button>
        , Enter to{" "}
        <button type="button" className="link" onClick={save}>
          save
        </button>
      </div>
    </div>
  );
}
