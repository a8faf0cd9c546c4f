// Ctrl-K: type a few letters, go anywhere.
import { useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { channelsOf, conversationName, conversationsOf, hasUnread, serversOf } from "../store/selectors";
import { inboxTally } from "../store/inboxes";
import { store } from "../store/store";
import { otherParty, threadsOf } from "../store/threads";
import { workspacesOf } from "../store/workspaces";
import { Dialog } from "../view/Dialog";
import { Icon, type IconName } from "../view/Icon";

interface Destination {
  path: string;
  name: string;
  where: string;
  icon: IconName;
  isUnread: boolean;
}

const SHOWN = 9;

function destinations(): Destination[] {
  const state = store.get();
  const channels = serversOf(state).flatMap((server) =>
    channelsOf(state, server.serverId).map((channel) => ({
      path: `/c/${server.serverId}/${channel.channelId}`,
      name: channel.name,
      where: server.name,
      icon: "hash" as const,
      isUnread: hasUnread(channel),
    })),
  );
  const conversations = conversationsOf(state).map((each) => ({
    path: `/d/${each.convoId}`,
    name: conversationName(each),
    where: each.type === "direct" ? "Conversation" : "Group",
    icon: each.type === "direct" ? ("person" as const) : ("people" as const),
    isUnread: hasUnread(each),
  }));
  const threads = threadsOf(state).map((each) => ({
    path: `/t/${each.threadId}`,
    name: state.people[otherParty(each, state.me?.userId ?? "")]?.username ?? each.listingId ?? "A thread",
    where: [each.kind === "project" ? "Project" : "Inquiry", each.listingId]
      .filter((part) => part !== null)
      .join(", "),
    icon: "handshake" as const,
    isUnread: hasUnread(each),
  }));
  const workspaces = workspacesOf(state).map((each) => ({
    path: `/w/${each.workspaceId}`,
    name: each.name,
    where: "Workspace",
    icon: "board" as const,
    isUnread: false,
  }));
  return [
    ...conversations,
    ...threads,
    ...channels,
    ...workspaces,
    { path: "/inbox", name: "Inbox", where: "You", icon: "inbox", isUnread: inboxTally(state).unread },
    { path: "/settings", name: "Settings", where: "You", icon: "gear", isUnread: false },
  ];
}

/** Letters in the same order, the nearer together the better; null if they do not all occur. */
export function distance(query: string, name: string): number | null {
  let at = -1;
  let far = 0;
  for (const letter of query.toLowerCase()) {
    const next = name.toLowerCase().indexOf(letter, at + 1);
    if (next < 0) return null;
    far += next - at - 1;
    at = next;
  }
  return far;
}

export function QuickSwitcher({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const listId = useId();
  const all = useMemo(destinations, []);
  const found = useMemo(() => {
    if (query.trim() === "")
      return [...all].sort((a, b) => Number(b.isUnread) - Number(a.isUnread)).slice(0, SHOWN);
    return all
      .flatMap((each) => {
        const far = distance(query.trim(), each.name) ?? distance(query.trim(), `${each.where} ${each.name}`);
        return far === null ? [] : [{ each, far }];
      })
      .sort((a, b) => a.far - b.far)
      .map(({ each }) => each)
      .slice(0, SHOWN);
  }, [all, query]);
  const go = (path: string) => {
    onClose();
    navigate(path);
  };
  return (
    <Dialog title="Go to" onClose={onClose} keepsText={false}>
      <input
        className="input"
        autoFocus
        placeholder="A channel, a person, a group"
        aria-label="A channel, a person, a group"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length > 0 ? `${listId}-${chosen}` : undefined}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          const destination = found[chosen];
          if (step !== 0 && found.length > 0) {
            event.preventDefault();
            setChosen((chosen + step + found.length) % found.length);
          } else if (event.key === "Enter" && destination !== undefined) go(destination.path);
        }}
      />
      <ul className="switcher" role="listbox" id={listId} aria-label="Places">
        {found.map((each, index) => (
          <li
            key={each.path}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(each.path)}
            onPointerMove={() => setChosen(index)}
          >
            <Icon name={each.icon} size={17} />
            <span className="room-name">{each.name}</span>
            {each.isUnread && <span className="unread-dot" />}
            <span className="note">{each.where}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="note">Nothing is called that.</p>}
    </Dialog>
  );
}
