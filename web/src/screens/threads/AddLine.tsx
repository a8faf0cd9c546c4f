// A field that adds lines to a list: Enter adds one and clears the field.
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
