// Toasts: short notices that disappear, announced to screen readers.
import { useSyncExternalStore } from "react";
import { errorText } from "../api/problems";

interface Toast {
  id: number;
  text: string;
}

const SHOWN_MS = 5000;
let toasts: readonly Toast[] = [];
let count = 0;
const listeners = new Set<() => void>();

function set(fresh: readonly Toast[]): void {
  toasts = fresh;
  for (const listener of listeners) listener();
}

export function toast(text: string): void {
  const id = ++count;
  set([...toasts.slice(-2), { id, text }]);
  setTimeout(() => set(toasts.filter((each) => each.id !== id)), SHOWN_MS);
}

/** Show an error as a toast; the handler of promises that are not awaited. */
export function toastError(error: unknown): void {
  toast(errorText(error));
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((each) => (
        <div key={each.id} className="toast">
          {each.text}
        </div>
      ))}
    </div>
  );
}
