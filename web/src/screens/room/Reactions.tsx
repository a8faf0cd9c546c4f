// The reactions below a message: a click adds or removes one of the user.
import { react } from "../../actions/room";
import type { Message } from "../../api/shapes";
import { sameList, useStore } from "../../store/store";
import { EmojiButton } from "../../emoji/EmojiButton";
import { useTabIndex } from "../../view/tabStop";
import { toastError } from "../../view/toasts";
import { useRoom } from "./RoomContext";
import { shownName } from "../../view/names";

export function Reactions({ message }: { message: Message }) {
  const { room } = useRoom();
  const tabIndex = useTabIndex();
  if (message.reactions.length === 0) return null;
  const toggle = (emoji: string, me: boolean) =>
    void react(room, message.messageId, emoji, me).catch(toastError);
  return (
    <div className="reactions">
      {message.reactions.map((reaction) => (
        <button
          key={reaction.emoji}
          type="button"
          className="reaction"
          tabIndex={tabIndex}
          aria-pressed={reaction.me}
          aria-label={`${reaction.emoji}, ${reaction.count}`}
          onClick={() => toggle(reaction.emoji, !reaction.me)}
        >
          <span aria-hidden="true">{reaction.emoji}</span>
          <span aria-hidden="true">{reaction.count}</span>
          <Who userIds={reaction.userIds} count={reaction.count} />
        </button>
      ))}
      <EmojiButton
        className="reaction reaction-add"
        label="Add reaction"
        tabIndex={tabIndex}
        onChoose={(emoji) => toggle(emoji, true)}
      />
    </div>
  );
}

function Who({ userIds, count }: { userIds: readonly string[]; count: number }) {
  const names = useStore(
    (state) =>
      userIds
        .slice(0, 8)
        .flatMap((id) =>
          id === state.me?.userId
            ? ["you"]
            : state.people[id] === undefined
              ? []
              : shownName(state.people[id]),
        ),
    sameList,
  );
  if (names.length === 0) return null;
  const others = count - names.length;
  return <span className="who">{names.join(", ") + (others > 0 ? ` and ${others} more` : "")}</span>;
}
