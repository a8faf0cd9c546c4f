// A panel beside a room; above it where there is no room beside.
import type { ReactNode } from "react";
import { IconButton } from "../view/Icon";

interface SidePanelProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

export function SidePanel({ title, onClose, children }: SidePanelProps) {
  return (
    <aside className="side-panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <IconButton icon="close" label={`Close ${title.toLowerCase()}`} onClick={onClose} />
      </header>
      {children}
    </aside>
  );
}
