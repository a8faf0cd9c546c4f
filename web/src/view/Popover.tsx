// A layer beside its anchor; closes with Escape or a click elsewhere.
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
const FOCUSABLE = "input, button:not(:disabled), a[href]";

/** The position of a layer: below its anchor if it fits, and within `bounds`. */
export function placeBeside(
  from: DOMRect,
  size: { width: number; height: number },
  bounds: { left: number; right: number },
  viewport: { width: number; height: number },
): { left: number; top: number } {
  const below = from.bottom + MARGIN / 2;
  const top =
    below + size.height < viewport.height - MARGIN
      ? below
      : Math.max(MARGIN, from.top - size.height - MARGIN / 2);
  const fits = bounds.right - bounds.left >= size.width + 2 * MARGIN;
  const [least, most] = fits ? [bounds.left, bounds.right] : [0, viewport.width];
  const right = Math.min(Math.max(least + MARGIN, from.right - size.width), most - size.width - MARGIN);
  return { left: Math.max(MARGIN, right), top };
}

export function Popover({ anchor, onClose, label, role = "dialog", children }: PopoverProps) {
  const element = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);

  useLayoutEffect(() => {
    const layer = element.current;
    if (layer === null) return;
    const settle = () => {
      const viewport = { width: innerWidth, height: innerHeight };
      const bounds = anchor.closest("main")?.getBoundingClientRect() ?? { left: 0, right: innerWidth };
      setPlace(placeBeside(anchor.getBoundingClientRect(), layer.getBoundingClientRect(), bounds, viewport));
    };
    settle();
    const watch = new ResizeObserver(settle);
    watch.observe(layer);
    return () => watch.disconnect();
  }, [anchor]);

  // A hidden element cannot take the focus, so wait until it is placed.
  const isPlaced = place !== null;
  useEffect(() => {
    if (isPlaced) element.current?.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  }, [isPlaced]);

  useEffect(() => {
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
    // Inside the landmark of its anchor, for screen readers; inside a dialog, to be above it.
    anchor.closest<HTMLElement>("dialog, nav, main") ?? document.body,
  );
}
