// A panel beside a room; above it on narrow screens.
import type { ReactNode } from "react";
import { IconButton } from "../view/Icon";

interface SidePanelProps {
  title: string;
  onClose: () => void;
  /** For content wider than a list. */
  wide?: boolean;
  children: ReactNode;
}

export function SidePanel({ title, onClose, wide = false, children }: SidePanelProps) {
  return (
    <aside className={wide ? "side-panel side-panel-wide" : "side-panel"} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" label={`Close ${title.toLowerCase()}`} onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
