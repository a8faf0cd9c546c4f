// What every part of an open room may ask and do, without a chain of props.
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
  /** The message that has the focus is the one whose controls Tab goes to. */
  focusMessage: (messageId: string) => void;
}

export const RoomContext = createContext<RoomTools | null>(null);

export function useRoom(): RoomTools {
  const tools = useContext(RoomContext);
  if (tools === null) throw new Error("outside of a room");
  return tools;
}
