// What can be done with a message: a bar that comes with the pointer or the focus.
import { useState } from "react";
import { pin, react, remove, report } from "../../actions/room";
import type { Message } from "../../api/shapes";
import { EmojiButton } from "../../emoji/EmojiButton";
import { Dialog } from "../../view/Dialog";
import { Field, Form } from "../../view/Form";
import { IconButton } from "../../view/Icon";
import { MenuButton, type MenuItem } from "../../view/Menu";
import { tellFailure, toast } from "../../view/toasts";
import { useRoom } from "./RoomContext";

const QUICK = ["👍", "❤️", "😂"];

export function MessageActions({ message }: { message: Message }) {
  const { room, me, canModerate, canPin, replyTo, startEdit, linkTo } = useRoom();
  const [asking, setAsking] = useState<"delete" | "report" | null>(null);
  const isMine = message.authorId === me;
  // What was offered and agreed stays as it was said.
  const isFixed = message.type === "action";
  const toggle = (emoji: string) => {
    const mine = message.reactions.some((each) => each.emoji === emoji && each.me);
    void react(room, message.messageId, emoji, !mine).catch(tellFailure);
  };
  const items: MenuItem[] = [
    { label: "Copy text", icon: "copy", onChoose: () => copy(message.content, "Text copied") },
    {
      label: "Copy link",
      icon: "link",
      onChoose: () => copy(location.origin + linkTo(message.messageId), "Link copied"),
    },
  ];
  if (canPin) {
    const set = (isPinned: boolean, words: string) => () =>
      void pin(room, message.messageId, isPinned).then(() => toast(words), tellFailure);
    items.push({ label: "Pin", icon: "pin", onChoose: set(true, "Pinned") });
    items.push({ label: "Unpin", icon: "pin", onChoose: set(false, "No longer pinned") });
  }
  if (!isMine) items.push({ label: "Report", icon: "shield", onChoose: () => setAsking("report") });
  if ((isMine || canModerate) && !isFixed)
    items.push({ label: "Delete", icon: "trash", danger: true, onChoose: () => setAsking("delete") });
  return (
    <div className="message-actions" role="toolbar" aria-label="Message actions">
      {QUICK.map((emoji) => (
        <button
          key={emoji}
          type="button"
          className="icon-button quick"
          aria-label={`React with ${emoji}`}
          onClick={() => toggle(emoji)}
        >
          {emoji}
        </button>
      ))}
      <EmojiButton className="icon-button" label="React" onChoose={toggle} />
      <IconButton icon="reply" label="Reply" onClick={() => replyTo(message)} />
      {isMine && !isFixed && (
        <IconButton icon="edit" label="Edit" onClick={() => startEdit(message.messageId)} />
      )}
      <MenuButton label="More" items={items} />
      {asking === "delete" && (
        <Dialog title="Delete this message?" onClose={() => setAsking(null)}>
          <p>It is gone for everybody.</p>
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
              toast("Thank you. Somebody will look at it.");
            }}
          >
            <Field label="What is wrong with it?" name="reason" required maxLength={500} autoFocus />
          </Form>
        </Dialog>
      )}
    </div>
  );
}

function copy(text: string, words: string): void {
  navigator.clipboard.writeText(text).then(() => toast(words), tellFailure);
}
