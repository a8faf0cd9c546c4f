// A direct or group conversation.
import { useEffect, useMemo, useState } from "react";
import { loadConversation } from "../actions/conversations";
import type { Names } from "../markdown/Markdown";
import { conversationName } from "../store/selectors";
import { roomKey } from "../store/state";
import { useStore } from "../store/store";
import { ConversationFace } from "./ConversationList";
import { NotFound } from "./NotFound";
import { ParticipantsPanel } from "./ParticipantsPanel";
import { PinsPanel } from "./PinsPanel";
import type { Params } from "./routes";
import { DrawerButton, RoomHeader, type Panel } from "./RoomHeader";
import { RoomPane } from "./room/RoomPane";
import { RoomSkeleton } from "./room/RoomSkeleton";

export function ConversationScreen({ params }: { params: Params }) {
  const { convoId = "", messageId } = params;
  const isReady = useStore((state) => state.isReady);
  const conversation = useStore((state) => state.conversations[convoId]);
  const me = useStore((state) => state.me);
  const room = useMemo(() => ({ kind: "conversation" as const, id: convoId }), [convoId]);
  const readings = useStore((state) => state.readings[roomKey(room)]);
  const [panel, setPanel] = useState<Panel>(null);
  const [isAsked, setAsked] = useState(false);
  const people = useMemo(() => Object.values(readings ?? {}), [readings]);
  const names = useMemo<Names>(() => {
    const ids = new Map(people.map((each) => [each.username.toLowerCase(), each.userId]));
    return {
      me: me?.username ?? "",
      personOf: (name) => ids.get(name.toLowerCase()) ?? null,
      channelAt: () => null,
    };
  }, [people, me?.username]);

  const isMissing = isReady && conversation === undefined;
  useEffect(() => {
    // An older conversation, which `ready` did not include.
    if (isMissing)
      void loadConversation(convoId).then(
        () => setAsked(true),
        () => setAsked(true),
      );
  }, [isMissing, convoId]);

  if (conversation === undefined) {
    if (isReady && isAsked)
      return (
        <NotFound
          title="You're not in this conversation"
          description="You left or were removed, or the link is wrong."
        />
      );
    return (
      <div className="screen">
        <header className="room-header">
          <DrawerButton />
        </header>
        <RoomSkeleton count={9} />
      </div>
    );
  }
  const name = conversationName(conversation);
  const path = `/d/${convoId}`;
  const title = conversation.type === "direct" ? `@${name}` : name;
  return (
    <div className="screen">
      <RoomHeader
        room={room}
        path={path}
        face={<ConversationFace conversation={conversation} size={28} />}
        title={name}
        muted={conversation.muted}
        panel={panel}
        onPanel={setPanel}
      />
      <div className="screen-body">
        <RoomPane
          key={convoId}
          room={room}
          path={path}
          title={title}
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
        />
        {panel === "people" && (
          <ParticipantsPanel conversation={conversation} onClose={() => setPanel(null)} />
        )}
        {panel === "pins" && (
          <PinsPanel room={room} path={path} canPin names={names} onClose={() => setPanel(null)} />
        )}
      </div>
    </div>
  );
}
