// What was begun in a room and not sent: it is there when one comes back.
import type { RoomRef } from "../api/shapes";
import { roomKey } from "./state";

const PREFIX = "sobremesa.draft.";
const keyOf = (room: RoomRef): string => PREFIX + roomKey(room);

export function draftOf(room: RoomRef): string {
  return localStorage.getItem(keyOf(room)) ?? "";
}

export function keepDraft(room: RoomRef, text: string): void {
  try {
    if (text.trim() === "") localStorage.removeItem(keyOf(room));
    else localStorage.setItem(keyOf(room), text);
  } catch {
    // A full storage: the draft lives as long as the page.
  }
}

/** Whoever signs in here next has no business with them. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}
