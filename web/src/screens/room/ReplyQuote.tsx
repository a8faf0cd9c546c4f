// The quoted message above a reply, in one line.
import { useEffect, useState } from "react";
import { getMessage } from "../../actions/room";
import type { Message } from "../../api/shapes";
import { plainText } from "../../markdown/parse";
import { roomKey } from "../../store/state";
import { useStore } from "../../store/store";
import { Avatar } from "../../view/Avatar";
import { useTabIndex } from "../../view/tabStop";
import { useRoom } from "./RoomContext";
import { shownName } from "../../view/names";

const fetched = new Map<string, Promise<Message>>();

export function ReplyQuote({ messageId }: { messageId: string }) {
  const { room, jumpTo } = useRoom();
  const tabIndex = useTabIndex();
  const loaded = useStore((state) =>
    state.logs[roomKey(room)]?.messages.find((each) => each.messageId === messageId),
  );
  const [remote, setRemote] = useState<Message | "gone" | null>(null);
  const isMissing = loaded === undefined;
  useEffect(() => {
    if (!isMissing) return;
    let isCurrent = true;
    const asked = fetched.get(messageId) ?? getMessage(room, messageId);
    fetched.set(messageId, asked);
    asked.then(
      (message) => isCurrent && setRemote(message),
      () => isCurrent && setRemote("gone"),
    );
    return () => {
      isCurrent = false;
    };
  }, [isMissing, messageId, room]);
  const message = loaded ?? remote;
  if (message === null) return <div className="quote quote-loading" aria-hidden="true" />;
  if (message === "gone" || message.deleted) return <div className="quote">Deleted message</div>;
  return (
    <button type="button" className="quote" tabIndex={tabIndex} onClick={() => jumpTo(messageId)}>
      <AuthorFace message={message} />
      <strong>
        <span className="hidden-text">In reply to </span>
        {shownName(message)}
      </strong>
      <span>{message.content === "" ? "Attachment" : plainText(message.content.slice(0, 200))}</span>
    </button>
  );
}

function AuthorFace({ message }: { message: Message }) {
  const url = useStore((state) => state.people[message.authorId]?.avatarUrl);
  return <Avatar id={message.authorId} name={shownName(message)} url={url} size={17} />;
}
