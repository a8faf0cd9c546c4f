// One line to add to a list: Enter adds it, and the field is ready for the next.
import { useState } from "react";

export function AddLine({ label, onAdd }: { label: string; onAdd: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      className="add-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        onAdd(text.trim());
        setText("");
      }}
    >
      <input
        className="input"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <button className="button" disabled={text.trim() === ""}>
        Add
      </button>
    </form>
  );
}
