// The sidebar of conversations, most recent first, each with a preview of its last message.
import { useState } from "react";
import { Link } from "wouter";
import { loadOlderConversations } from "../actions/conversations";
import type { Conversation } from "../api/shapes";
import { plainText } from "../markdown/parse";
import { conversationName, conversationsOf, hasUnread } from "../store/selectors";
import { sameList, useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Icon, IconButton } from "../view/Icon";
import { shortTime } from "../view/times";
import { toastError } from "../view/toasts";
import { ListSkeleton } from "./ListSkeleton";
import { NewConversation } from "./NewConversation";
import type { Params } from "./routes";
import { UnreadBadge } from "./Unread";
import { shownName } from "../view/names";

/** The page size of `ready`. */
const FIRST = 50;

export function ConversationList({ params }: { params: Params }) {
  const conversations = useStore(conversationsOf, sameList);
  const isReady = useStore((state) => state.isReady);
  const [isBeginning, setBeginning] = useState(false);
  const [hasOlder, setOlder] = useState(true);
  if (!isReady) return <ListSkeleton />;
  return (
    <nav className="sidebar-body" aria-label="Conversations">
      <header className="sidebar-head">
        <h1>Conversations</h1>
        <IconButton icon="edit" label="New message" onClick={() => setBeginning(true)} />
      </header>
      {conversations.length === 0 && <p className="note sidebar-note">No conversations yet.</p>}
      <ul className="rooms">
        {conversations.map((conversation) => (
          <li key={conversation.convoId}>
            <ConversationLink
              conversation={conversation}
              isHere={conversation.convoId === params["convoId"]}
            />
          </li>
        ))}
      </ul>
      {hasOlder && conversations.length >= FIRST && (
        <button
          type="button"
          className="button button-small sidebar-invite"
          onClick={() => void loadOlderConversations().then(setOlder, toastError)}
        >
          Load older conversations
        </button>
      )}
      {isBeginning && <NewConversation onClose={() => setBeginning(false)} />}
    </nav>
  );
}

export function ConversationLink({ conversation, isHere }: { conversation: Conversation; isHere: boolean }) {
  const name = conversationName(conversation);
  const { lastMessageBody: body, lastMessageSender: sender } = conversation;
  const speaker = useStore((state) => {
    if (sender === null) return "";
    if (sender === state.me?.userId) return "You: ";
    const person = conversation.type === "group" ? state.people[sender] : undefined;
    return person === undefined ? "" : `${shownName(person)}: `;
  });
  const isLoud = hasUnread(conversation);
  return (
    <Link
      href={`/d/${conversation.convoId}`}
      className={isLoud ? "conversation-link room-unread" : "conversation-link"}
      aria-current={isHere ? "page" : undefined}
    >
      <ConversationFace conversation={conversation} size={38} />
      <span className="conversation-text">
        <span className="conversation-top">
          <span className="room-name">{name}</span>
          {conversation.lastMessageAt !== null && (
            <time className="note">{shortTime(conversation.lastMessageAt)}</time>
          )}
        </span>
        <span className="conversation-last">
          {body !== null && speaker + (body === "" ? "Attachment" : plainText(body.slice(0, 200)))}
        </span>
      </span>
      {conversation.muted ? (
        <Icon name="bellOff" size={15} />
      ) : (
        <UnreadBadge unread={conversation.unread} isLoud={isLoud} />
      )}
    </Link>
  );
}

export function ConversationFace({ conversation, size }: { conversation: Conversation; size: number }) {
  const { other } = conversation;
  if (other !== null)
    return <Avatar id={other.userId} name={shownName(other)} url={other.avatarUrl} size={size} presence />;
  return (
    <Avatar id={conversation.convoId} name={conversationName(conversation)} url={null} size={size} square />
  );
}
