// Editing in place: Enter saves, Escape leaves it as it was.
import { useEffect, useRef, useState } from "react";
import { edit } from "../../actions/room";
import type { Message } from "../../api/shapes";
import { tellFailure } from "../../view/toasts";
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
    const said = text.trim();
    if (said === "" || said === message.content) {
      startEdit(null);
      return;
    }
    edit(room, message.messageId, said).then(() => startEdit(null), tellFailure);
  };
  return (
    <div className="message-edit">
      <textarea
        ref={box}
        className="input"
        aria-label="Edit the message"
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
