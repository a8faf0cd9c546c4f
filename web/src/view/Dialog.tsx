// A dialog above the page. The browser's own element keeps the focus inside and gives it back.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "./Icon";

interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ReactNode;
}

export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The browser would begin at the button that closes.
    dialog
      ?.querySelector<HTMLElement>(".dialog-body :is(input:not([type=file]), textarea, select, button)")
      ?.focus();
    return () => dialog?.close();
  }, []);
  // At the end of the page: what is drawn inside of a room or a form has their looks.
  return createPortal(
    <dialog
      ref={element}
      className={wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className="dialog-body">{children}</div>
    </dialog>,
    document.body,
  );
}
