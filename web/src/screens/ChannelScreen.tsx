// A channel of a community.
import { useEffect, useMemo, useState } from "react";
import { Redirect } from "wouter";
import { loadMembers } from "../actions/communities";
import type { Person } from "../api/shapes";
import type { Names } from "../markdown/Markdown";
import { channelsOf, isAtLeast } from "../store/selectors";
import { sameList, useStore } from "../store/store";
import { Icon } from "../view/Icon";
import { ChannelMenu } from "./ChannelMenu";
import { MembersPanel } from "./MembersPanel";
import { NotFound } from "./NotFound";
import { PinsPanel } from "./PinsPanel";
import type { Params } from "./routes";
import { DrawerButton, RoomHeader, type Panel } from "./RoomHeader";
import { RoomPane } from "./room/RoomPane";
import { RoomSkeleton } from "./room/RoomSkeleton";

const LAST = "sobremesa.last.";
const NO_MEMBERS: readonly Person[] = [];
const WIDE = 1180;

export function ChannelScreen({ params }: { params: Params }) {
  const { serverId = "", channelId, messageId } = params;
  const isReady = useStore((state) => state.isReady);
  const server = useStore((state) => state.servers[serverId]);
  const channels = useStore((state) => channelsOf(state, serverId), sameList);
  const channel = useStore((state) => state.channels[channelId ?? ""]);
  const members = useStore((state) => state.members[serverId]);
  const me = useStore((state) => state.me);
  const [panel, setPanel] = useState<Panel>(() => (innerWidth >= WIDE ? "people" : null));
  const room = useMemo(() => ({ kind: "channel" as const, id: channelId ?? "" }), [channelId]);
  const people: readonly Person[] = useMemo(
    () => (members === undefined ? NO_MEMBERS : Object.values(members)),
    [members],
  );
  const names = useMemo<Names>(() => {
    const ids = new Map(people.map((each) => [each.username.toLowerCase(), each.userId]));
    const places = new Map(channels.map((each) => [each.name, `/c/${serverId}/${each.channelId}`]));
    return {
      me: me?.username ?? "",
      personOf: (name) => ids.get(name.toLowerCase()) ?? null,
      channelAt: (name) => places.get(name) ?? null,
    };
  }, [people, channels, serverId, me?.username]);

  const isHere = server !== undefined;
  const isMissing = members === undefined;
  useEffect(() => {
    if (isHere && isMissing) void loadMembers(serverId).catch(() => undefined);
  }, [isHere, isMissing, serverId]);
  useEffect(() => {
    if (channelId !== undefined) localStorage.setItem(LAST + serverId, channelId);
  }, [serverId, channelId]);

  if (!isReady)
    return (
      <div className="screen">
        <header className="room-header">
          <DrawerButton />
        </header>
        <RoomSkeleton count={9} />
      </div>
    );
  if (server === undefined) return <NoServer serverId={serverId} />;
  if (channelId === undefined) {
    const last =
      channels.find((each) => each.channelId === localStorage.getItem(LAST + serverId)) ?? channels[0];
    if (last !== undefined) return <Redirect to={`/c/${serverId}/${last.channelId}`} replace />;
    return <NotFound title={server.name} description="There are no channels yet." home={false} />;
  }
  if (channel === undefined || channel.serverId !== serverId)
    return <NotFound title="Channel not found" description="It was deleted, or the link is wrong." />;

  const path = `/c/${serverId}/${channelId}`;
  return (
    <div className="screen">
      <RoomHeader
        room={room}
        path={path}
        face={<Icon name="hash" size={21} />}
        title={channel.name}
        topic={channel.topic}
        muted={channel.muted}
        panel={panel}
        onPanel={setPanel}
      >
        {isAtLeast(server.role, "admin") && <ChannelMenu channel={channel} />}
      </RoomHeader>
      <div className="screen-body">
        <RoomPane
          key={channelId}
          room={room}
          path={path}
          title={`#${channel.name}`}
          names={names}
          people={people}
          canModerate={isAtLeast(server.role, "moderator")}
          canPin={isAtLeast(server.role, "moderator")}
          target={messageId ?? null}
          beginning={
            <>
              <h2>#{channel.name}</h2>
              <p>{channel.topic ?? `This is the start of #${channel.name}.`}</p>
            </>
          }
        />
        {panel === "people" && <MembersPanel server={server} onClose={() => setPanel(null)} />}
        {panel === "pins" && (
          <PinsPanel
            room={room}
            path={path}
            canPin={isAtLeast(server.role, "moderator")}
            names={names}
            onClose={() => setPanel(null)}
          />
        )}
      </div>
    </div>
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
