// What each role may do in a workspace. The server decides; this only hides what it would refuse.
import type { WorkspaceRole } from "../../api/shapes";

const RANK: Record<WorkspaceRole, number> = { member: 0, admin: 1, owner: 2 };

/** Owners may remove each other. */
export function mayRemove(one: WorkspaceRole, other: WorkspaceRole): boolean {
  return one === "owner" || RANK[one] > RANK[other];
}

export function mayConfigure(role: WorkspaceRole): boolean {
  return role !== "member";
}
