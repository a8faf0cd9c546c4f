// Home: unread rooms, recent conversations, and buttons to start new ones.
import { useState } from "react";
import { Link } from "wouter";
import { conversationsOf, serversOf, serverTally } from "../store/selectors";
import { sameList, useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Icon } from "../view/Icon";
import { ConversationLink } from "./ConversationList";
import { NewCommunity } from "./NewCommunity";
import { NewConversation } from "./NewConversation";
import { DrawerButton } from "./RoomHeader";
import { UnreadSummary } from "./UnreadSummary";
import { shownName } from "../view/names";

export function Home() {
  const me = useStore((state) => state.me);
  const isReady = useStore((state) => state.isReady);
  const servers = useStore(serversOf, sameList);
  const recent = useStore((state) => conversationsOf(state).slice(0, 6), sameList);
  const unread = useStore(
    (state) => serversOf(state).filter((each) => serverTally(state, each.serverId).unread),
    sameList,
  );
  const [asking, setAsking] = useState<"community" | "conversation" | null>(null);
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
        <h2>Home</h2>
      </header>
      <div className="home">
        <h2 className="home-greeting">
          {greeting()}, {me === null ? "" : shownName(me)}.
        </h2>
        {isReady && servers.length === 0 && recent.length === 0 && (
          <p>You're all set. Create a community for your team, or send a message.</p>
        )}
        <div className="home-actions">
          <button type="button" className="button button-primary" onClick={() => setAsking("conversation")}>
            <Icon name="edit" /> New message
          </button>
          <button type="button" className="button" onClick={() => setAsking("community")}>
            <Icon name="plus" /> Create or join a community
          </button>
        </div>
        {unread.length > 0 && (
          <section aria-label="Unread communities">
            <h3 className="sidebar-label">Unread communities</h3>
            <ul className="rooms">
              {unread.map((server) => (
                <li key={server.serverId}>
                  <Link href={`/c/${server.serverId}`} className="conversation-link">
                    <Avatar id={server.serverId} name={server.name} url={server.iconUrl} size={32} square />
                    <span className="room-name">{server.name}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        )}
        <UnreadSummary />
        {recent.length > 0 && (
          <section aria-label="Recent">
            <h3 className="sidebar-label">Recent</h3>
            <ul className="rooms">
              {recent.map((conversation) => (
                <li key={conversation.convoId}>
                  <ConversationLink conversation={conversation} isHere={false} />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      {asking === "community" && <NewCommunity onClose={() => setAsking(null)} />}
      {asking === "conversation" && <NewConversation onClose={() => setAsking(null)} />}
    </div>
  );
}

function greeting(): string {
  const hour = new Date().getHours();
  return hour < 5
    ? "Good evening"
    : hour < 12
      ? "Good morning"
      : hour < 18
        ? "Good afternoon"
        : "Good evening";
}
