// The unread count beside the name of a room.
import type { Unread } from "../api/shapes";

export function UnreadBadge({ unread, isLoud }: { unread: Unread; isLoud: boolean }) {
  if (unread.count === 0) return null;
  const shown = unread.mentions > 0 && !isLoud ? unread.mentions : unread.count;
  const isMention = isLoud || unread.mentions > 0;
  const more = unread.capped && shown === unread.count ? "+" : "";
  return (
    <span className={isMention ? "badge badge-mention" : "badge"}>
      {shown > 99 ? "99+" : `${shown}${more}`}
      <span className="hidden-text">
        {isLoud || !isMention ? " unread" : shown === 1 ? " mention" : " mentions"}
      </span>
    </span>
  );
}
