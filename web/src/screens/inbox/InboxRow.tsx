// A notification: a row that expands in place, with its actions.
import { memo } from "react";
import { archiveMessage, readMessage, snoozeChoices, snoozeMessage, webAddress } from "../../actions/inboxes";
import type { InboxMessage } from "../../api/shapes";
import type { ReadyInbox } from "../../live/frames";
import { Markdown, type Names } from "../../markdown/Markdown";
import { PlainData } from "../../view/PlainData";
import { Icon, IconButton } from "../../view/Icon";
import { MenuButton } from "../../view/Menu";
import { fullTime, messageTime, shortTime } from "../../view/times";
import { toastError, toast } from "../../view/toasts";

/** Notifications contain no mentions. */
const NO_NAMES: Names = { me: "", personOf: () => null, channelAt: () => null };

interface InboxRowProps {
  inbox: ReadyInbox;
  message: InboxMessage;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

export const InboxRow = memo(function InboxRow({ inbox, message, isOpen, onOpen }: InboxRowProps) {
  const isUnread = message.readAt === null;
  const bodyId = `inbox-${message.messageId}`;
  const read = () => void readMessage(inbox, message.messageId).catch(toastError);
  const open = () => {
    onOpen(!isOpen);
    if (!isOpen && isUnread) read();
  };
  const archive = () => void archiveMessage(inbox, message).then(() => toast("Archived"), toastError);
  return (
    <li
      className={isUnread ? "inbox-message inbox-unread" : "inbox-message"}
      onKeyDown={(event) => {
        if (event.key === "e" && !event.ctrlKey && !event.metaKey) archive();
      }}
    >
      <button
        type="button"
        className="inbox-head"
        aria-expanded={isOpen}
        aria-controls={bodyId}
        onClick={open}
      >
        <span className="inbox-dot" />
        <span className="inbox-sender">{message.sender}</span>
        <span className="inbox-title">
          {isUnread && <span className="hidden-text">Unread: </span>}
          {message.title}
          {!isOpen && <span className="inbox-preview">{previewOf(message.body)}</span>}
        </span>
        <time className="note" dateTime={message.receivedAt} title={fullTime(message.receivedAt)}>
          {shortTime(message.receivedAt)}
        </time>
      </button>
      <span className="inbox-actions">
        {isUnread && <IconButton icon="check" size={17} label="Mark as read" onClick={read} />}
        <MenuButton
          label="Snooze"
          icon="clock"
          items={snoozeChoices(new Date()).map(({ label, until }) => ({
            label,
            onChoose: () =>
              void snoozeMessage(inbox, message, until).then(
                () => toast(`Snoozed until ${messageTime(until.toISOString())}`),
                toastError,
              ),
          }))}
        />
        <IconButton icon="archive" size={17} label="Archive" onClick={archive} />
      </span>
      {isOpen && (
        <div className="inbox-body" id={bodyId}>
          <Body body={message.body} />
          <CallToAction uri={message.ctaUri} />
          <p className="note">
            {message.category !== null && `${message.category}, `}
            {fullTime(message.receivedAt)}
            {message.audience === "everyone" && ", sent to everyone"}
            {message.expiresAt !== null && `, expires ${messageTime(message.expiresAt)}`}
          </p>
        </div>
      )}
    </li>
  );
});

function Body({ body }: { body: unknown }) {
  const text = textOf(body);
  return text === null ? <PlainData value={body} /> : <Markdown text={text} names={NO_NAMES} />;
}

/** Only http and https become a link; any other address is shown as text. */
function CallToAction({ uri }: { uri: string | null }) {
  if (uri === null) return null;
  const address = webAddress(uri);
  if (address === null) return <p className="note">{uri}</p>;
  return (
    <p>
      <a className="button button-primary" href={address} target="_blank" rel="noopener noreferrer">
        Open {new URL(address).host} <Icon name="link" size={16} />
      </a>
    </p>
  );
}

function textOf(body: unknown): string | null {
  if (typeof body === "string") return body;
  if (typeof body === "object" && body !== null && "text" in body && Object.keys(body).length === 1)
    return typeof body.text === "string" ? body.text : null;
  return null;
}

function previewOf(body: unknown): string {
  const text =
    textOf(body) ??
    Object.values(body ?? {})
      .filter((each) => typeof each === "string")
      .join(", ");
  return text.replace(/\s+/g, " ").slice(0, 160);
}
