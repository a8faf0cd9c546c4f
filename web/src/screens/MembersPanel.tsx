// The members of a community, or those who can see a private channel, by role, with the actions on those of a lower role.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { ban, changeRole, membersOfChannel, removeMember } from "../actions/communities";
import { startConversation } from "../actions/conversations";
import type { Member, ServerRole } from "../api/shapes";
import { isAtLeast, outranks } from "../store/selectors";
import type { ChannelEntry, ServerEntry } from "../store/state";
import { useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { MenuButton, type MenuItem } from "../view/Menu";
import { toastError } from "../view/toasts";
import { SidePanel } from "./SidePanel";
import { secondaryName, shownName } from "../view/names";

const ROLES: readonly { role: ServerRole; title: string; one: string }[] = [
  { role: "owner", title: "Owner", one: "owner" },
  { role: "admin", title: "Admins", one: "admin" },
  { role: "moderator", title: "Moderators", one: "moderator" },
  { role: "member", title: "Members", one: "member" },
];

type Asking = { what: "kick" | "ban"; member: Member } | null;

interface MembersPanelProps {
  server: ServerEntry;
  channel: Pick<ChannelEntry, "channelId" | "private" | "updatedAt">;
  onClose: () => void;
}

export function MembersPanel({ server, channel, onClose }: MembersPanelProps) {
  const readers = useReaders(channel);
  const known = useStore((state) => state.members[server.serverId]);
  const members = channel.private && readers === null ? undefined : known;
  const online = useStore((state) => state.online);
  const [asking, setAsking] = useState<Asking>(null);
  const me = useStore((state) => state.me?.userId ?? "");
  const all = Object.values(members ?? {})
    .filter((member) => !channel.private || readers?.has(member.userId))
    .sort(byPresence({ ...online, [me]: true }));
  return (
    <SidePanel title="People" onClose={onClose}>
      {members === undefined &&
        ["60%", "45%", "55%"].map((width) => (
          <div key={width} className="skeleton skeleton-room" style={{ width }} />
        ))}
      {ROLES.map(({ role, title }) => {
        const inside = all.filter((each) => each.role === role);
        if (inside.length === 0) return null;
        return (
          <section key={role} aria-label={title}>
            <h3 className="sidebar-label">
              {title} <span className="note">{inside.length}</span>
            </h3>
            <ul className="people">
              {inside.map((member) => (
                <MemberRow key={member.userId} member={member} server={server} onAsk={setAsking} />
              ))}
            </ul>
          </section>
        );
      })}
      {asking !== null && <Removal asking={asking} server={server} onClose={() => setAsking(null)} />}
    </SidePanel>
  );
}

/** The ids of those who can see a private channel; null while they are loaded, and if the channel is not private. */
function useReaders({ channelId, private: isPrivate, updatedAt }: MembersPanelProps["channel"]) {
  const [readers, setReaders] = useState<ReadonlySet<string> | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setReaders(null);
    if (isPrivate)
      void membersOfChannel(channelId).then((ids) => {
        if (isCurrent) setReaders(ids);
      }, toastError);
    return () => {
      isCurrent = false;
    };
  }, [channelId, isPrivate, updatedAt]);
  return readers;
}

/** Online members first, then by name; the user counts as online. */
export function byPresence(online: Readonly<Record<string, true>>) {
  return (a: Member, b: Member): number =>
    Number(b.userId in online) - Number(a.userId in online) || shownName(a).localeCompare(shownName(b));
}

interface MemberRowProps {
  member: Member;
  server: ServerEntry;
  onAsk: (asking: Asking) => void;
}

function MemberRow({ member, server, onAsk }: MemberRowProps) {
  const me = useStore((state) => state.me?.userId);
  const isOnline = useStore(
    (state) => member.userId in state.online || (member.userId === me && state.link === "live"),
  );
  const [, navigate] = useLocation();
  const items: MenuItem[] = [];
  if (member.userId !== me) {
    const sendMessage = () =>
      void startConversation([member.userId], null).then((id) => navigate(`/d/${id}`), toastError);
    items.push({ label: "Send message", icon: "chat", onChoose: sendMessage });
  }
  if (member.userId !== me && outranks(server.role, member.role)) {
    if (isAtLeast(server.role, "admin"))
      for (const { role, one } of ROLES)
        if (role !== "owner" && role !== member.role && outranks(server.role, role))
          items.push({
            label: `Make ${one}`,
            icon: "shield",
            onChoose: () => void changeRole(server.serverId, member.userId, role).catch(toastError),
          });
    if (isAtLeast(server.role, "moderator")) {
      items.push({
        label: "Kick",
        icon: "leave",
        danger: true,
        onChoose: () => onAsk({ what: "kick", member }),
      });
      items.push({
        label: "Ban",
        icon: "trash",
        danger: true,
        onChoose: () => onAsk({ what: "ban", member }),
      });
    }
  }
  return (
    <li className={isOnline ? "person" : "person person-away"}>
      <Avatar id={member.userId} name={shownName(member)} url={member.avatarUrl} size={32} presence />
      <span className="room-name" title={secondaryName(member)}>
        {shownName(member)}
        <span className="hidden-text">{isOnline ? ", online" : ", away"}</span>
      </span>
      <MenuButton label={`Actions for ${shownName(member)}`} items={items} />
    </li>
  );
}

function Removal({
  asking,
  server,
  onClose,
}: {
  asking: NonNullable<Asking>;
  server: ServerEntry;
  onClose: () => void;
}) {
  const { what, member } = asking;
  const isBan = what === "ban";
  return (
    <Dialog title={`${isBan ? "Ban" : "Kick"} ${shownName(member)}?`} onClose={onClose}>
      <p>
        {isBan
          ? "They'll be removed and can't rejoin unless unbanned."
          : "They'll be removed and need an invite to come back."}
      </p>
      <Form
        submit={isBan ? "Ban" : "Kick"}
        danger
        onSubmit={async ({ reason = "" }) => {
          if (isBan) await ban(server.serverId, member.userId, reason.trim() === "" ? null : reason.trim());
          else await removeMember(server.serverId, member.userId);
          onClose();
        }}
      >
        {isBan && <Field label="Reason (optional)" name="reason" maxLength={512} />}
      </Form>
    </Dialog>
  );
}
