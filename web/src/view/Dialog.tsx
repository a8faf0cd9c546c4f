// A modal dialog. The native element traps the focus and restores it.
import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "./Icon";
import { TypedText } from "./typedText";

interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  /** Whether to ask before closing discards typed text. */
  keepsText?: boolean;
  children: ReactNode;
}

export function Dialog({ title, onClose, wide = false, keepsText = true, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const pressedOutside = useRef(false);
  const [typed] = useState(() => new TypedText());
  const [isAsking, setAsking] = useState(false);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    dialog.showModal();
    const unwatch = typed.watch(dialog);
    // The browser would focus the close button.
    dialog
      .querySelector<HTMLElement>(".dialog-body :is(input:not([type=file]), textarea, select, button)")
      ?.focus();
    return () => {
      unwatch();
      dialog.close();
    };
  }, [typed]);
  const close = () => {
    if (keepsText && typed.isUnsaved) setAsking(true);
    else onClose();
  };
  // At the end of the page, so that it does not inherit the styles of a room or a form.
  return createPortal(
    <dialog
      ref={element}
      className={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      // A text selection that ends outside also clicks the dialog: only a press that started outside closes it.
      onPointerDown={(event) => {
        pressedOutside.current = event.target === element.current;
      }}
      onClick={(event) => {
        if (event.target === element.current && pressedOutside.current) close();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault(); // the browser would close it by itself the second time
        if (isAsking) setAsking(false);
        else close();
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={close} />
      </div>
      {isAsking && <Discard onKeep={() => setAsking(false)} onDiscard={onClose} />}
      <div className="dialog-body">{children}</div>
    </dialog>,
    document.body,
  );
}

function Discard({ onKeep, onDiscard }: { onKeep: () => void; onDiscard: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    keep.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div className="dialog-discard" role="alertdialog" aria-label="Discard changes?">
      <span>Discard what you typed?</span>
      <button ref={keep} type="button" className="button button-small" onClick={onKeep}>
        Keep editing
      </button>
      <button type="button" className="button button-small button-danger" onClick={onDiscard}>
        Discard
      </button>
    </div>
  );
}
