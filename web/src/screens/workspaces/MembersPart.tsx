// The members of a workspace, their roles, and its invites.
import { useState } from "react";
import { useLocation } from "wouter";
import {
  changeMemberRole,
  createWorkspaceInvite,
  listWorkspaceInvites,
  removeWorkspaceMember,
} from "../../actions/workspaces";
import type { Workspace, WorkspaceMember, WorkspaceRole } from "../../api/shapes";
import { useStore } from "../../store/store";
import { Avatar } from "../../view/Avatar";
import { Dialog } from "../../view/Dialog";
import { Form } from "../../view/Form";
import { Icon, IconButton } from "../../view/Icon";
import { toastError } from "../../view/toasts";
import { Invites } from "../Invites";
import { mayRemove } from "./roles";
import { shownName } from "../../view/names";

const ROLES: readonly WorkspaceRole[] = ["owner", "admin", "member"];

interface MembersPartProps {
  workspace: Workspace;
  members: Readonly<Record<string, WorkspaceMember>>;
}

export function MembersPart({ workspace, members }: MembersPartProps) {
  const { workspaceId, role } = workspace;
  const me = useStore((state) => state.me?.userId ?? "");
  const [asking, setAsking] = useState<"invite" | "leave" | null>(null);
  const [, navigate] = useLocation();
  const sorted = Object.values(members).sort(
    (a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || a.username.localeCompare(b.username),
  );
  return (
    <div className="settings">
      <ul className="people" aria-label="Members">
        {sorted.map((member) => (
          <li key={member.userId} className="person">
            <Avatar id={member.userId} name={shownName(member)} url={member.avatarUrl} size={34} presence />
            <span className="room-name">
              {shownName(member)}
              {member.userId === me && <span className="note"> (you)</span>}
            </span>
            <Role workspace={workspace} member={member} />
            {member.userId === me || !mayRemove(role, member.role) ? (
              <span className="no-button" />
            ) : (
              <IconButton
                icon="close"
                size={15}
                label={`Remove ${shownName(member)}`}
                onClick={() => void removeWorkspaceMember(workspaceId, member.userId).catch(toastError)}
              />
            )}
          </li>
        ))}
      </ul>
      <div className="home-actions">
        {role !== "member" && (
          <button type="button" className="button button-primary" onClick={() => setAsking("invite")}>
            <Icon name="link" size={16} /> Invite people
          </button>
        )}
        <button type="button" className="button" onClick={() => setAsking("leave")}>
          <Icon name="leave" size={16} /> Leave
        </button>
      </div>
      {asking === "invite" && (
        <Invites
          to={workspace.name}
          create={(limits) => createWorkspaceInvite(workspaceId, limits)}
          list={() => listWorkspaceInvites(workspaceId)}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === "leave" && (
        <Dialog title={`Leave ${workspace.name}?`} onClose={() => setAsking(null)}>
          <p>You need a new invite to rejoin.</p>
          <Form
            submit="Leave"
            danger
            onSubmit={async () => {
              await removeWorkspaceMember(workspaceId, me);
              navigate("/w");
            }}
          />
        </Dialog>
      )}
    </div>
  );
}

function Role({ workspace, member }: { workspace: Workspace; member: WorkspaceMember }) {
  if (workspace.role !== "owner") return <span className="note">{member.role}</span>;
  return (
    <select
      className="input role-select"
      aria-label={`Role of ${shownName(member)}`}
      value={member.role}
      onChange={(event) =>
        void changeMemberRole(
          workspace.workspaceId,
          member.userId,
          event.target.value as WorkspaceRole,
        ).catch(toastError)
      }
    >
      {ROLES.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
}
