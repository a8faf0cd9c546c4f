// The context of an open room, instead of props through every component.
import { createContext, useContext } from "react";
import type { Message, RoomRef } from "../../api/shapes";
import type { Names } from "../../markdown/Markdown";

export interface RoomTools {
  room: RoomRef;
  me: string;
  names: Names;
  canModerate: boolean;
  canPin: boolean;
  replyTo: (message: Message) => void;
  startEdit: (messageId: string | null) => void;
  jumpTo: (messageId: string) => void;
  linkTo: (messageId: string) => string;
  openProfile: (userId: string, anchor: HTMLElement) => void;
  /** Make a message the tab stop of the list. */
  focusMessage: (messageId: string) => void;
}

export const RoomContext = createContext<RoomTools | null>(null);

export function useRoom(): RoomTools {
  const tools = useContext(RoomContext);
  if (tools === null) throw new Error("outside of a room");
  return tools;
}
