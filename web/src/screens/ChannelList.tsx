// The sidebar of a community: its channels and its menu.
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { createInvite, listInvites, removeMember } from "../actions/communities";
import { channelsOf, hasUnread, isAtLeast } from "../store/selectors";
import type { ServerEntry } from "../store/state";
import { sameList, useStore } from "../store/store";
import { Dialog } from "../view/Dialog";
import { Form } from "../view/Form";
import { Icon, IconButton } from "../view/Icon";
import { MenuButton, type MenuItem } from "../view/Menu";
import { ConversationList } from "./ConversationList";
import { CommunitySettings } from "./CommunitySettings";
import { Invites } from "./Invites";
import { ListSkeleton } from "./ListSkeleton";
import { NewChannel } from "./NewChannel";
import type { Params } from "./routes";
import { UnreadBadge } from "./Unread";

type Asking = "invites" | "channel" | "settings" | "leave";

export function ChannelList({ params }: { params: Params }) {
  const { serverId = "", channelId = "" } = params;
  const server = useStore((state) => state.servers[serverId]);
  const channels = useStore((state) => channelsOf(state, serverId), sameList);
  const [asking, setAsking] = useState<Asking | null>(null);
  const isReady = useStore((state) => state.isReady);
  if (server === undefined) return isReady ? <ConversationList params={{}} /> : <ListSkeleton />;
  const canManage = isAtLeast(server.role, "admin");
  return (
    <nav className="sidebar-body" aria-label={`Channels of ${server.name}`}>
      <header className="sidebar-head">
        <h1>{server.name}</h1>
        <MenuButton label="Community menu" items={menuOf(server, setAsking)} />
      </header>
      <div className="sidebar-label">
        <span>Channels</span>
        {canManage && (
          <IconButton icon="plus" size={16} label="Create channel" onClick={() => setAsking("channel")} />
        )}
      </div>
      <ul className="rooms">
        {channels.map((channel) => (
          <li key={channel.channelId}>
            <Link
              href={`/c/${serverId}/${channel.channelId}`}
              className={hasUnread(channel) ? "room-link room-unread" : "room-link"}
              aria-current={channel.channelId === channelId ? "page" : undefined}
            >
              <Icon name={channel.muted ? "bellOff" : channel.private ? "lock" : "hash"} size={17} />
              <span className="room-name">
                {channel.name}
                {channel.private && <span className="hidden-text"> (private)</span>}
              </span>
              {!channel.muted && <UnreadBadge unread={channel.unread} isLoud={false} />}
            </Link>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="button button-small sidebar-invite"
        onClick={() => setAsking("invites")}
      >
        <Icon name="link" size={16} /> Invite people
      </button>
      {asking === "invites" && (
        <Invites
          to={server.name}
          create={(limits) => createInvite(serverId, limits)}
          list={canManage ? () => listInvites(serverId) : null}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === "channel" && <NewChannel serverId={serverId} onClose={() => setAsking(null)} />}
      {asking === "settings" && <CommunitySettings server={server} onClose={() => setAsking(null)} />}
      {asking === "leave" && <Leave server={server} onClose={() => setAsking(null)} />}
    </nav>
  );
}

function menuOf(server: ServerEntry, ask: (what: Asking) => void): MenuItem[] {
  const items: MenuItem[] = [{ label: "Invite people", icon: "link", onChoose: () => ask("invites") }];
  if (isAtLeast(server.role, "admin")) {
    items.push({ label: "Create channel", icon: "plus", onChoose: () => ask("channel") });
    items.push({ label: "Community settings", icon: "gear", onChoose: () => ask("settings") });
  }
  if (server.role !== "owner")
    items.push({ label: "Leave", icon: "leave", danger: true, onChoose: () => ask("leave") });
  return items;
}

function Leave({ server, onClose }: { server: ServerEntry; onClose: () => void }) {
  const me = useStore((state) => state.me?.userId ?? "");
  const [, navigate] = useLocation();
  return (
    <Dialog title={`Leave ${server.name}?`} onClose={onClose}>
      <p>You need a new invite to rejoin.</p>
      <Form
        submit="Leave"
        danger
        onSubmit={async () => {
          await removeMember(server.serverId, me);
          onClose();
          navigate("/");
        }}
      />
    </Dialog>
  );
}
