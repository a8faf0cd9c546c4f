// A layer beside the thing that opened it: closes with Escape, a click elsewhere, or a move away.
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";

interface PopoverProps {
  anchor: HTMLElement;
  onClose: () => void;
  label: string;
  role?: "menu" | "dialog";
  children: ReactNode;
}

const MARGIN = 8;

export function Popover({ anchor, onClose, label, role = "dialog", children }: PopoverProps) {
  const element = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);

  useLayoutEffect(() => {
    const layer = element.current;
    if (layer === null) return;
    const settle = () => {
      const from = anchor.getBoundingClientRect();
      const { width, height } = layer.getBoundingClientRect();
      const below = from.bottom + MARGIN / 2;
      const top =
        below + height < innerHeight - MARGIN ? below : Math.max(MARGIN, from.top - height - MARGIN / 2);
      const left = Math.min(Math.max(MARGIN, from.right - width), innerWidth - width - MARGIN);
      setPlace({ left: Math.max(MARGIN, left), top });
    };
    settle();
    const watch = new ResizeObserver(settle);
    watch.observe(layer);
    return () => watch.disconnect();
  }, [anchor]);

  useEffect(() => {
    const first = element.current?.querySelector<HTMLElement>("input, button");
    first?.focus();
    const away = (event: PointerEvent) => {
      const target = event.target as Node;
      if (element.current?.contains(target) !== true && !anchor.contains(target)) onClose();
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [anchor, onClose]);

  return createPortal(
    <div
      ref={element}
      className="popover"
      role={role}
      aria-label={label}
      style={{
        left: place?.left ?? 0,
        top: place?.top ?? 0,
        visibility: place === null ? "hidden" : "visible",
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape" || event.key === "Tab") {
          if (event.key === "Tab" && role === "dialog") return;
          event.preventDefault();
          onClose();
          anchor.focus();
        }
      }}
    >
      {children}
    </div>,
    // Within the landmark of what opened it, for those who go from landmark to landmark; above a dialog, inside of it.
    anchor.closest<HTMLElement>("dialog, nav, main") ?? document.body,
  );
}
