// Global shortcuts: Ctrl-K opens the quick switcher, Alt with arrow keys goes to the next room.
import { useEffect } from "react";
import { useLocation } from "wouter";
import { channelsOf, conversationsOf } from "../store/selectors";
import { store } from "../store/store";
import { threadsOf } from "../store/threads";

export function useShortcuts(onSwitch: () => void): void {
  const [path, navigate] = useLocation();
  useEffect(() => {
    const keyed = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        onSwitch();
      } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        const next = adjacentRoom(path, event.key === "ArrowDown" ? 1 : -1);
        if (next === null) return;
        event.preventDefault();
        navigate(next);
      }
    };
    addEventListener("keydown", keyed);
    return () => removeEventListener("keydown", keyed);
  }, [path, navigate, onSwitch]);
}

function adjacentRoom(path: string, step: number): string | null {
  const [, area, first = "", second = ""] = path.split("/");
  const state = store.get();
  const places =
    area === "c"
      ? channelsOf(state, first).map((each) => `/c/${first}/${each.channelId}`)
      : area === "t"
        ? threadsOf(state).map((each) => `/t/${each.threadId}`)
        : conversationsOf(state).map((each) => `/d/${each.convoId}`);
  if (places.length === 0) return null;
  const at = places.indexOf(area === "c" ? `/c/${first}/${second}` : `/${area === "t" ? "t" : "d"}/${first}`);
  return places[at < 0 ? 0 : (at + step + places.length) % places.length] ?? null;
}
