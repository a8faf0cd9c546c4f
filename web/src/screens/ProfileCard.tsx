// The card of a user, beside their name.
import { useLocation } from "wouter";
import { startConversation } from "../actions/conversations";
import { useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Icon } from "../view/Icon";
import { Popover } from "../view/Popover";
import { toastError } from "../view/toasts";
import { secondaryName, shownName } from "../view/names";

interface ProfileCardProps {
  userId: string;
  anchor: HTMLElement;
  onClose: () => void;
}

export function ProfileCard({ userId, anchor, onClose }: ProfileCardProps) {
  const person = useStore((state) => state.people[userId]);
  const isOnline = useStore((state) => userId in state.online);
  const isMe = useStore((state) => state.me?.userId === userId);
  const [, navigate] = useLocation();
  const name = person === undefined ? anchor.textContent : shownName(person);
  const secondary = person && secondaryName(person);
  const sendMessage = () => {
    startConversation([userId], null).then((convoId) => navigate(`/d/${convoId}`), toastError);
    onClose();
  };
  return (
    <Popover anchor={anchor} onClose={onClose} label={name}>
      <div className="profile-card">
        <Avatar id={userId} name={name} url={person?.avatarUrl} size={64} presence />
        <strong>{name}</strong>
        {secondary !== undefined && <span className="note">{secondary}</span>}
        <span className="note">{isMe ? "You" : isOnline ? "Online" : "Away"}</span>
        {isMe ? (
          <button type="button" className="button button-small" onClick={() => navigate("/settings")}>
            <Icon name="edit" size={16} /> Edit profile
          </button>
        ) : (
          <button type="button" className="button button-primary button-small" onClick={sendMessage}>
            <Icon name="chat" size={16} /> Send message
          </button>
        )}
      </div>
    </Popover>
  );
}
