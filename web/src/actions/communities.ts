// Communities: channels, members, roles, bans and invites.
import { request } from "../api/client";
import type {
  Access,
  AccessList,
  Ban,
  Channel,
  Invite,
  Member,
  Server,
  ServerRole,
  Viewer,
} from "../api/shapes";
import type { ReadyChannel } from "../live/frames";
import { NOTHING_UNREAD } from "../store/state";
import { loadBeside } from "../store/loading";
import { store } from "../store/store";

function fresh(channel: Channel): ReadyChannel {
  return { ...channel, unread: NOTHING_UNREAD, lastReadMessageId: channel.lastMessageId, muted: false };
}

/** Create a community with a first channel. */
export async function createServer(
  name: string,
  iconUrl: string | null,
): Promise<{ serverId: string; channelId: string }> {
  const server = await request("post", "/v1/servers", { body: { name, iconUrl } });
  const path = { serverId: server.serverId };
  const existing = await request("get", "/v1/servers/{serverId}/channels", { path });
  const channel =
    existing.items[0] ??
    (await request("post", "/v1/servers/{serverId}/channels", { path, body: { name: "general" } }));
  store.apply({ t: "own.server", d: { server, role: "owner", channels: [fresh(channel)] } });
  return { serverId: server.serverId, channelId: channel.channelId };
}

/** Load the channels of a community that the user has just joined. */
export async function loadServer(server: Server, role?: ServerRole): Promise<void> {
  const answer = await request("get", "/v1/servers/{serverId}/channels", {
    path: { serverId: server.serverId },
    query: { limit: 100 },
  });
  const known = store.get().servers[server.serverId]?.role;
  const mine = role ?? known ?? (server.ownerId === store.get().me?.userId ? "owner" : "member");
  const channels = answer.items.map((each) => store.get().channels[each.channelId] ?? fresh(each));
  store.apply({ t: "own.server", d: { server, role: mine, channels } });
}

export async function changeServer(
  serverId: string,
  changes: { name?: string; iconUrl?: string | null },
): Promise<void> {
  const server = await request("patch", "/v1/servers/{serverId}", { path: { serverId }, body: changes });
  store.apply({ t: "server.updated", d: server });
}

export async function deleteServer(serverId: string): Promise<void> {
  await request("delete", "/v1/servers/{serverId}", { path: { serverId } });
  store.apply({ t: "server.deleted", d: { serverId } });
}

export async function createChannel(
  serverId: string,
  name: string,
  topic: string | null,
  access: AccessList | null = null,
): Promise<string> {
  const channel = await request("post", "/v1/servers/{serverId}/channels", {
    path: { serverId },
    body: { name, topic, ...(access === null ? {} : { access }) },
  });
  store.apply({ t: "channel.created", d: channel });
  return channel.channelId;
}

export async function changeChannel(
  channelId: string,
  changes: { name?: string; topic?: string | null },
): Promise<void> {
  const channel = await request("patch", "/v1/channels/{channelId}", { path: { channelId }, body: changes });
  store.apply({ t: "channel.updated", d: channel });
}

export async function getAccess(channelId: string): Promise<Access> {
  return request("get", "/v1/channels/{channelId}/access", { path: { channelId } });
}

/** Make a channel private by an access list, or public by null. */
export async function setAccess(channelId: string, access: AccessList | null): Promise<void> {
  const body = access ?? { roles: null, userIds: null };
  await request("put", "/v1/channels/{channelId}/access", { path: { channelId }, body });
}

export async function deleteChannel(serverId: string, channelId: string): Promise<void> {
  await request("delete", "/v1/channels/{channelId}", { path: { channelId } });
  store.apply({ t: "channel.deleted", d: { serverId, channelId } });
}

const MEMBERS_SHOWN = 500;

export async function loadMembers(serverId: string): Promise<void> {
  await loadBeside(store, ["member.joined", "member.updated", "member.left"], async () => {
    const members = await allPages((query) =>
      request("get", "/v1/servers/{serverId}/members", { path: { serverId }, query }),
    );
    return [{ t: "own.members", d: { serverId, members } }];
  });
}

/** Return the ids of the members who can see a private channel. */
export async function membersOfChannel(channelId: string): Promise<ReadonlySet<string>> {
  const members = await allPages((query) =>
    request("get", "/v1/channels/{channelId}/members", { path: { channelId }, query }),
  );
  return new Set(members.map((member) => member.userId));
}

async function allPages(
  load: (query: { limit: number; cursor?: string }) => Promise<{ items: Member[]; next: string | null }>,
): Promise<Member[]> {
  const members: Member[] = [];
  let cursor: string | null = null;
  do {
    const page = await load({ limit: 100, ...(cursor === null ? {} : { cursor }) });
    members.push(...page.items);
    cursor = page.next;
  } while (cursor !== null && members.length < MEMBERS_SHOWN);
  return members;
}

/** How many communities `loadMissingMembers` requests at most. */
const MOST_COMMUNITIES = 10;

/** Load the members of communities that have not been opened yet. */
export async function loadMissingMembers(): Promise<void> {
  const { servers, members } = store.get();
  const missing = Object.keys(servers).filter((serverId) => !(serverId in members));
  for (const serverId of missing.slice(0, MOST_COMMUNITIES)) await loadMembers(serverId);
}

export async function changeRole(serverId: string, userId: string, role: ServerRole): Promise<void> {
  const member = await request("patch", "/v1/servers/{serverId}/members/{userId}", {
    path: { serverId, userId },
    body: { role },
  });
  store.apply({ t: "member.updated", d: member });
}

/** Remove a member, or leave. */
export async function removeMember(serverId: string, userId: string): Promise<void> {
  await request("delete", "/v1/servers/{serverId}/members/{userId}", { path: { serverId, userId } });
  store.apply({ t: "member.left", d: { serverId, userId } });
}

export async function ban(serverId: string, userId: string, reason: string | null): Promise<void> {
  await request("put", "/v1/servers/{serverId}/bans/{userId}", {
    path: { serverId, userId },
    body: { reason },
  });
  store.apply({ t: "member.left", d: { serverId, userId } });
}

export async function listBans(serverId: string): Promise<Ban[]> {
  return (await request("get", "/v1/servers/{serverId}/bans", { path: { serverId }, query: { limit: 100 } }))
    .items;
}

export async function liftBan(serverId: string, userId: string): Promise<void> {
  await request("delete", "/v1/servers/{serverId}/bans/{userId}", { path: { serverId, userId } });
}

export async function createInvite(
  serverId: string,
  limits: { maxUses: number | null; expiresInSeconds: number | null },
): Promise<Invite> {
  return await request("post", "/v1/servers/{serverId}/invites", { path: { serverId }, body: limits });
}

export async function listInvites(serverId: string): Promise<Invite[]> {
  return (
    await request("get", "/v1/servers/{serverId}/invites", { path: { serverId }, query: { limit: 100 } })
  ).items;
}

export async function revokeInvite(code: string): Promise<void> {
  await request("delete", "/v1/invites/{code}", { path: { code } });
}

export async function getInvite(code: string) {
  return await request("get", "/v1/invites/{code}", { path: { code } });
}

export async function redeemInvite(code: string): Promise<string> {
  const joined = await request("post", "/v1/invites/{code}/redeem", { path: { code } });
  if (joined.kind === "workspace") {
    store.apply({ t: "own.workspace", d: { workspace: { ...joined.workspace, role: joined.role } } });
    return `/w/${joined.workspaceId}`;
  }
  await loadServer(joined.server, joined.role);
  return `/c/${joined.serverId}`;
}

/** Return the first of those who look at a channel. */
export async function listViewers(channelId: string): Promise<readonly Viewer[]> {
  const path = { roomId: channelId };
  return (await request("get", "/v1/channels/{roomId}/viewers", { path, query: { limit: 20 } })).items;
}
