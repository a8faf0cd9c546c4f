// A direct or group conversation.
import { useMemo } from "react";
import { loadConversation } from "../actions/conversations";
import { conversationName } from "../store/selectors";
import { roomKey } from "../store/state";
import { useStore } from "../store/store";
import { ConversationFace } from "./ConversationList";
import { NotFound } from "./NotFound";
import { ParticipantsPanel } from "./ParticipantsPanel";
import { LoadingRoom, RoomScreen, useNames } from "./RoomScreen";
import type { Params } from "./routes";
import { useOlder } from "./useOlder";

export function ConversationScreen({ params }: { params: Params }) {
  const { convoId = "", messageId } = params;
  const conversation = useStore((state) => state.conversations[convoId]);
  const room = useMemo(() => ({ kind: "conversation" as const, id: convoId }), [convoId]);
  const readings = useStore((state) => state.readings[roomKey(room)]);
  const people = useMemo(() => Object.values(readings ?? {}), [readings]);
  const names = useNames(people);
  const isTried = useOlder(convoId, conversation !== undefined, loadConversation);

  if (conversation === undefined)
    return isTried ? (
      <NotFound
        title="You're not in this conversation"
        description="You left or were removed, or the link is wrong."
      />
    ) : (
      <LoadingRoom />
    );
  const name = conversationName(conversation);
  return (
    <RoomScreen
      room={room}
      path={`/d/${convoId}`}
      face={<ConversationFace conversation={conversation} size={28} />}
      name={name}
      title={name}
      muted={conversation.muted}
      names={names}
      people={people}
      canModerate={conversation.role === "admin" && conversation.type === "group"}
      canPin
      target={messageId ?? null}
      beginning={
        <>
          <ConversationFace conversation={conversation} size={64} />
          <h2>{name}</h2>
          <p>This is the start of your conversation.</p>
        </>
      }
      peoplePanel={(onClose) => <ParticipantsPanel conversation={conversation} onClose={onClose} />}
    />
  );
}
