// The destinations of the quick switcher: rooms, communities, users and other screens.
import { inboxTally } from "../store/inboxes";
import { channelsOf, conversationName, conversationsOf, hasUnread, serversOf } from "../store/selectors";
import type { State } from "../store/state";
import { otherParty, threadsOf } from "../store/threads";
import { workspacesOf } from "../store/workspaces";
import type { IconName } from "../view/Icon";
import { shownName } from "../view/names";

export interface Destination {
  /** A path, or a user to start a conversation with. */
  to: { path: string } | { userId: string };
  name: string;
  where: string;
  icon: IconName;
  isUnread: boolean;
}

export const keyOf = ({ to }: Destination): string => ("path" in to ? to.path : to.userId);

export function destinations(state: State): Destination[] {
  const servers = serversOf(state);
  const conversations = conversationsOf(state);
  const screen = (
    path: string,
    name: string,
    where: string,
    icon: IconName,
    isUnread = false,
  ): Destination => ({
    to: { path },
    name,
    where,
    icon,
    isUnread,
  });
  return [
    ...conversations.map((each) =>
      screen(
        `/d/${each.convoId}`,
        conversationName(each),
        each.type === "direct" ? "Conversation" : "Group",
        each.type === "direct" ? "person" : "people",
        hasUnread(each),
      ),
    ),
    ...threadsOf(state).map((each) =>
      screen(
        `/t/${each.threadId}`,
        nameIn(state, otherParty(each, state.me?.userId ?? "")) ?? each.listingId ?? "Thread",
        [each.kind === "project" ? "Project" : "Inquiry", each.listingId]
          .filter((part) => part !== null)
          .join(", "),
        "handshake",
        hasUnread(each),
      ),
    ),
    ...servers.flatMap((server) =>
      channelsOf(state, server.serverId).map((channel) =>
        screen(
          `/c/${server.serverId}/${channel.channelId}`,
          channel.name,
          server.name,
          "hash",
          hasUnread(channel),
        ),
      ),
    ),
    ...servers.map((server) => screen(`/c/${server.serverId}`, server.name, "Community", "people")),
    ...usersWithoutConversation(state),
    ...workspacesOf(state).map((each) => screen(`/w/${each.workspaceId}`, each.name, "Workspace", "board")),
    screen("/inbox", "Inbox", "Account", "inbox", inboxTally(state).unread),
    screen("/settings", "Settings", "Account", "gear"),
    ...(state.me?.isAdmin === true ? [screen("/admin", "Moderation", "Administration", "shield")] : []),
  ];
}

/** Users without a conversation with the signed-in user. */
function usersWithoutConversation(state: State): Destination[] {
  const met = new Set(conversationsOf(state).map((each) => each.other?.userId));
  return Object.values(state.people)
    .filter((each) => each.userId !== state.me?.userId && !met.has(each.userId))
    .map((each) => ({
      to: { userId: each.userId },
      name: shownName(each),
      where: "Send message",
      icon: "person" as const,
      isUnread: false,
    }));
}

/** How far apart the letters of a query occur in a name, in order; null if they do not all occur. */
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

/** The best matches of a query; without one, unread rooms first. */
export function found(all: readonly Destination[], query: string, most: number): Destination[] {
  const wanted = query.trim();
  if (wanted === "") {
    const rooms = all.filter((each) => "path" in each.to);
    return rooms.sort((a, b) => Number(b.isUnread) - Number(a.isUnread)).slice(0, most);
  }
  return all
    .flatMap((each) => {
      const far = distance(wanted, each.name) ?? distance(wanted, `${each.where} ${each.name}`);
      return far === null ? [] : [{ each, far }];
    })
    .sort((a, b) => a.far - b.far)
    .map(({ each }) => each)
    .slice(0, most);
}

function nameIn(state: State, userId: string): string | undefined {
  const person = state.people[userId];
  return person === undefined ? undefined : shownName(person);
}
