// Drafts: unsent text of each room, kept in the browser.
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
    // The storage is full: the draft lasts as long as the page.
  }
}

/** Remove all drafts at sign-out, since another user may sign in. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}
