// Who is typing. The line is always present, so that the layout does not shift.
import { useEffect, useState } from "react";
import type { RoomRef } from "../../api/shapes";
import { roomKey } from "../../store/state";
import { useStore } from "../../store/store";
import { shownName } from "../../view/names";

/** A bit longer than the interval between two typing events of a user. */
const LASTS_MS = 5000;

export function TypingLine({ room }: { room: RoomRef }) {
  const typing = useStore((state) => state.typing[roomKey(room)]);
  const [now, setNow] = useState(Date.now);
  const names = Object.values(typing ?? {}).flatMap((each) =>
    now - each.at < LASTS_MS ? [shownName(each)] : [],
  );
  const isBusy = names.length > 0;
  useEffect(() => setNow(Date.now()), [typing]);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isBusy]);
  return (
    <p className="typing" role="status">
      {isBusy && (
        <>
          <span className="typing-dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {typingText(names)}
        </>
      )}
    </p>
  );
}

function typingText(names: string[]): string {
  const [first = "", second = ""] = names;
  if (names.length === 1) return `${first} is typing`;
  return names.length === 2 ? `${first} and ${second} are typing` : "Several people are typing";
}
