// Events of workspaces, and their part of `ready`.
import type { Item, Workspace, WorkspaceMember, WorkspaceSetting } from "../api/shapes";

/** The fields of a workspace that are the same for all members. */
export type WorkspaceCore = Omit<Workspace, "role">;

export interface ReadyWorkspaces {
  workspaces: Workspace[];
}

export interface WorkspaceEvents {
  "workspace.created": WorkspaceCore;
  "workspace.updated": WorkspaceCore;
  "workspace.deleted": { workspaceId: string };
  "workspace.member.joined": WorkspaceMember;
  "workspace.member.updated": WorkspaceMember;
  "workspace.member.left": { workspaceId: string; userId: string };
  "workspace.item.created": Item;
  "workspace.item.updated": Item;
  "workspace.item.deleted": { workspaceId: string; itemId: string };
  "workspace.setting.updated": { workspaceId: string } & WorkspaceSetting;
  "workspace.setting.deleted": { workspaceId: string; name: string };
}
