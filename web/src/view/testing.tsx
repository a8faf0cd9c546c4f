// Drawing a piece of the client in a test.
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

/** The element that holds what was drawn, and a way to draw it anew. */
export function draw(node: ReactNode): { place: HTMLElement; again: (fresh: ReactNode) => void } {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  act(() => root.render(node));
  return { place, again: (fresh) => act(() => root.render(fresh)) };
}
