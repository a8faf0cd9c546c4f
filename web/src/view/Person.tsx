// A person's name or face, by their id alone.
import { usePerson } from "../actions/people";
import { useStore } from "../store/store";
import { Avatar } from "./Avatar";

export function PersonName({ userId }: { userId: string | null }) {
  const person = usePerson(userId ?? "");
  const isMe = useStore((state) => state.me?.userId === userId);
  if (isMe) return <>You</>;
  return <>{person?.username ?? (userId === "system" || userId === null ? "The system" : "Somebody")}</>;
}

export function PersonFace({ userId, size }: { userId: string; size: number }) {
  const person = usePerson(userId);
  return <Avatar id={userId} name={person?.username ?? "?"} url={person?.avatarUrl} size={size} presence />;
}
