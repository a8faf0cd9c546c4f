// The signed-in user, at the bottom of the sidebar.
import { Link } from "wouter";
import { signOut } from "../actions/account";
import { useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Icon, IconButton } from "../view/Icon";
import { secondaryName, shownName } from "../view/names";

export function UserBar() {
  const me = useStore((state) => state.me);
  const isLive = useStore((state) => state.link === "live");
  if (me === null) return null;
  return (
    <section className="user-bar" aria-label="You">
      <Avatar id={me.userId} name={shownName(me)} url={me.avatarUrl} size={34} />
      <div className="user-bar-name">
        <strong title={secondaryName(me)}>{shownName(me)}</strong>
        <span className="note">{isLive ? "Online" : "Connecting…"}</span>
      </div>
      <Link href="/settings" className="icon-button" aria-label="Settings" title="Settings">
        <Icon name="gear" />
      </Link>
      <IconButton icon="leave" label="Sign out" onClick={() => void signOut()} />
    </section>
  );
}
