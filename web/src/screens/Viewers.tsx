// Who else is looking at a channel: small avatars in its header.
import { useEffect, useState } from "react";
import { listViewers } from "../actions/communities";
import type { Viewer } from "../api/shapes";
import { useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { shownName } from "../view/names";

const EVERY_MS = 60_000;
/** The channel is watched a moment after it opens. */
const FIRST_MS = 1000;
const SHOWN = 3;

export function Viewers({ channelId }: { channelId: string }) {
  const me = useStore((state) => state.me?.userId);
  const [viewers, setViewers] = useState<readonly Viewer[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const load = () => {
      if (document.visibilityState !== "visible") return;
      listViewers(channelId).then(
        (found) => isCurrent && setViewers(found),
        () => undefined,
      );
    };
    const first = setTimeout(load, FIRST_MS);
    const timer = setInterval(load, EVERY_MS);
    return () => {
      isCurrent = false;
      clearTimeout(first);
      clearInterval(timer);
      setViewers([]);
    };
  }, [channelId]);

  const others = viewers.filter((each) => each.userId !== me);
  if (others.length === 0) return null;
  const names = `Looking now: ${others.map(shownName).join(", ")}`;
  return (
    <span className="viewers wide-only" role="img" aria-label={names} title={names}>
      {others.slice(0, SHOWN).map((each) => (
        <Avatar key={each.userId} id={each.userId} name={shownName(each)} url={each.avatarUrl} size={24} />
      ))}
      {others.length > SHOWN && <span className="viewers-more">+{others.length - SHOWN}</span>}
    </span>
  );
}
