// The toolbar of a message, shown on hover and focus.
import { useState } from "react";
import { pin, react, remove, report } from "../../actions/room";
import { BASE } from "../../api/base";
import type { Message } from "../../api/shapes";
import { EmojiButton } from "../../emoji/EmojiButton";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { IconButton } from "../../view/Icon";
import { MenuButton, type MenuItem } from "../../view/Menu";
import { useTabIndex } from "../../view/tabStop";
import { toastError, toast } from "../../view/toasts";
import { useRoom, type RoomTools } from "./RoomContext";

const QUICK = ["👍", "❤️", "😂"];

type Asking = "delete" | "report";

export function MessageActions({ message, isPinned }: { message: Message; isPinned: boolean }) {
  const tools = useRoom();
  const { room, me, replyTo, startEdit } = tools;
  const [asking, setAsking] = useState<Asking | null>(null);
  const tabIndex = useTabIndex();
  const toggle = (emoji: string) => {
    const mine = message.reactions.some((each) => each.emoji === emoji && each.me);
    void react(room, message.messageId, emoji, !mine).catch(toastError);
  };
  return (
    <div className="message-actions" role="toolbar" aria-label="Message actions" onKeyDown={move}>
      {QUICK.map((emoji, index) => (
        <button
          key={emoji}
          type="button"
          className="icon-button quick"
          tabIndex={index === 0 ? tabIndex : -1}
          aria-label={`React with ${emoji}`}
          onClick={() => toggle(emoji)}
        >
          {emoji}
        </button>
      ))}
      <EmojiButton className="icon-button" label="React" tabIndex={-1} onChoose={toggle} />
      <IconButton icon="reply" label="Reply" tabIndex={-1} onClick={() => replyTo(message)} />
      {message.authorId === me && !isFixed(message) && (
        <IconButton icon="edit" label="Edit" tabIndex={-1} onClick={() => startEdit(message.messageId)} />
      )}
      <MenuButton label="More" tabIndex={-1} items={itemsOf(message, isPinned, tools, setAsking)} />
      {asking === "delete" && (
        <Dialog title="Delete this message?" onClose={() => setAsking(null)}>
          <p>Deletes it for everyone; can't be undone.</p>
          <Form submit="Delete" danger onSubmit={() => remove(room, message.messageId)} />
        </Dialog>
      )}
      {asking === "report" && (
        <Dialog title="Report this message" onClose={() => setAsking(null)}>
          <Form
            submit="Report"
            onSubmit={async ({ reason = "" }) => {
              await report(room, message.messageId, reason);
              setAsking(null);
              toast("Thank you. A moderator will review it.");
            }}
          >
            <Field label="What's wrong with this message?" name="reason" required maxLength={500} autoFocus />
          </Form>
        </Dialog>
      )}
    </div>
  );
}

/** Cards cannot be edited or deleted, since they record an agreement. */
function isFixed(message: Message): boolean {
  return message.type === "action";
}

function itemsOf(
  message: Message,
  isPinned: boolean,
  { room, me, canModerate, canPin, linkTo }: RoomTools,
  ask: (what: Asking) => void,
): MenuItem[] {
  const isMine = message.authorId === me;
  const items: MenuItem[] = [
    { label: "Copy text", icon: "copy", onChoose: () => copy(message.content, "Text copied") },
    {
      label: "Copy link",
      icon: "link",
      onChoose: () => copy(location.origin + BASE + linkTo(message.messageId), "Link copied"),
    },
  ];
  if (canPin)
    items.push({
      label: isPinned ? "Unpin" : "Pin",
      icon: "pin",
      onChoose: () =>
        void pin(room, message.messageId, !isPinned).then(
          () => toast(isPinned ? "Unpinned" : "Pinned"),
          toastError,
        ),
    });
  if (!isMine) items.push({ label: "Report", icon: "shield", onChoose: () => ask("report") });
  if ((isMine || canModerate) && !isFixed(message))
    items.push({ label: "Delete", icon: "trash", danger: true, onChoose: () => ask("delete") });
  return items;
}

/** The toolbar is one tab stop; arrow keys move between its buttons. */
function move(event: React.KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>(":scope > button")];
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return;
  event.preventDefault();
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
}

function copy(text: string, notice: string): void {
  navigator.clipboard.writeText(text).then(() => toast(notice), toastError);
}
