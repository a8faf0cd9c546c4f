// The private responses to the user's own slash commands, above the composer until they are dismissed.
import type { CommandResponse, RoomRef } from "../../api/shapes";
import { Markdown } from "../../markdown/Markdown";
import { store, useStore } from "../../store/store";
import { IconButton } from "../../view/Icon";
import { useRoom } from "./RoomContext";

const NONE: readonly CommandResponse[] = [];

export function PrivateResponses({ room }: { room: RoomRef }) {
  const { names } = useRoom();
  const responses =
    useStore((state) => (room.kind === "channel" ? state.responses[room.id] : undefined)) ?? NONE;
  if (responses.length === 0) return null;
  return (
    <ul className="private-responses" aria-label="Responses that only you see" aria-live="polite">
      {responses.map((response) => (
        <li key={`${response.commandId} ${response.responseId}`}>
          <div>
            <strong>{response.username}</strong>{" "}
            <span className="note">/{response.name} · Only visible to you</span>
            <Markdown text={response.content ?? ""} names={names} />
          </div>
          <IconButton
            icon="close"
            size={16}
            label="Dismiss"
            onClick={() =>
              store.apply({
                t: "own.dismissed",
                d: { channelId: response.channelId, responseId: response.responseId },
              })
            }
          />
        </li>
      ))}
    </ul>
  );
}
