// Renders a component in a test.
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;

/** Render a node; returns its container and a function to render again. */
export function render(node: ReactNode): { container: HTMLElement; rerender: (fresh: ReactNode) => void } {
  const container = document.body.appendChild(document.createElement("div"));
  const root = createRoot(container);
  act(() => root.render(node));
  return { container, rerender: (fresh) => act(() => root.render(fresh)) };
}
