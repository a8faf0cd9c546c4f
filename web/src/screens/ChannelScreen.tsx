// A channel of a community.
import { useEffect, useMemo } from "react";
import { Redirect } from "wouter";
import { loadMembers } from "../actions/communities";
import type { Person } from "../api/shapes";
import { channelsOf, isAtLeast } from "../store/selectors";
import { sameList, useStore } from "../store/store";
import { Icon } from "../view/Icon";
import { ChannelMenu } from "./ChannelMenu";
import { MembersPanel } from "./MembersPanel";
import { NotFound } from "./NotFound";
import { LoadingRoom, RoomScreen, useNames } from "./RoomScreen";
import type { Params } from "./routes";
import { Viewers } from "./Viewers";

const LAST = "sobremesa.last.";
const NO_MEMBERS: readonly Person[] = [];

export function ChannelScreen({ params }: { params: Params }) {
  const { serverId = "", channelId, messageId } = params;
  const isReady = useStore((state) => state.isReady);
  const server = useStore((state) => state.servers[serverId]);
  const channels = useStore((state) => channelsOf(state, serverId), sameList);
  const channel = useStore((state) => state.channels[channelId ?? ""]);
  const members = useStore((state) => state.members[serverId]);
  const room = useMemo(() => ({ kind: "channel" as const, id: channelId ?? "" }), [channelId]);
  const people: readonly Person[] = useMemo(
    () => (members === undefined ? NO_MEMBERS : Object.values(members)),
    [members],
  );
  const paths = useMemo(
    () => new Map(channels.map((each) => [each.name, `/c/${serverId}/${each.channelId}`])),
    [channels, serverId],
  );
  const names = useNames(people, paths);

  const isHere = server !== undefined;
  const isMissing = members === undefined;
  useEffect(() => {
    if (isHere && isMissing) void loadMembers(serverId).catch(() => undefined);
  }, [isHere, isMissing, serverId]);
  useEffect(() => {
    if (channelId !== undefined) localStorage.setItem(LAST + serverId, channelId);
  }, [serverId, channelId]);

  if (!isReady) return <LoadingRoom />;
  if (server === undefined) return <NoServer serverId={serverId} />;
  if (channelId === undefined) {
    const last =
      channels.find((each) => each.channelId === localStorage.getItem(LAST + serverId)) ?? channels[0];
    if (last !== undefined) return <Redirect to={`/c/${serverId}/${last.channelId}`} replace />;
    return <NotFound title={server.name} description="There are no channels yet." home={false} />;
  }
  if (channel === undefined || channel.serverId !== serverId)
    return (
      <NotFound
        title="Channel not found"
        description="It was deleted, it is private, or the link is wrong."
      />
    );

  const canModerate = isAtLeast(server.role, "moderator");
  return (
    <RoomScreen
      room={room}
      path={`/c/${serverId}/${channelId}`}
      face={<Icon name={channel.private ? "lock" : "hash"} size={21} />}
      name={channel.name}
      title={`#${channel.name}`}
      topic={channel.topic}
      muted={channel.muted}
      menu={
        <>
          <Viewers channelId={channelId} />
          {isAtLeast(server.role, "admin") && <ChannelMenu channel={channel} />}
        </>
      }
      firstPanel="people"
      names={names}
      people={people}
      canModerate={canModerate}
      canPin={canModerate}
      target={messageId ?? null}
      beginning={
        <>
          <h2>#{channel.name}</h2>
          <p>{channel.topic ?? `This is the start of #${channel.name}.`}</p>
        </>
      }
      peoplePanel={(onClose) => <MembersPanel server={server} channel={channel} onClose={onClose} />}
    />
  );
}

function NoServer({ serverId }: { serverId: string }) {
  const lost = useStore((state) => state.lost[serverId]);
  if (lost === undefined)
    return (
      <NotFound
        title="You're not a member"
        description="You need an invite to join this community, or the link is wrong."
      />
    );
  return lost.why === "deleted" ? (
    <NotFound title={`${lost.name} was deleted`} description="The owner deleted this community." />
  ) : (
    <NotFound
      title={`You're no longer a member of ${lost.name}`}
      description="You left or were removed. You need a new invite to rejoin."
    />
  );
}
