// The name or avatar of a user by id.
import { usePerson } from "../actions/users";
import { useStore } from "../store/store";
import { Avatar } from "./Avatar";
import { shownName } from "./names";

/** `inside` a sentence, the fallback names are lowercase. */
export function PersonName({ userId, inside = false }: { userId: string | null; inside?: boolean }) {
  const person = usePerson(userId ?? "");
  const isMe = useStore((state) => state.me?.userId === userId);
  if (isMe) return inside ? "you" : "You";
  if (person !== undefined) return shownName(person);
  const unknown = userId === "system" || userId === null ? "The system" : "Someone";
  return inside ? unknown.toLowerCase() : unknown;
}

export function PersonFace({ userId, size }: { userId: string; size: number }) {
  const person = usePerson(userId);
  return (
    <Avatar
      id={userId}
      name={person === undefined ? "?" : shownName(person)}
      url={person?.avatarUrl}
      size={size}
      presence
    />
  );
}
