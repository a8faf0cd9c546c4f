// The access list of a channel as the fields of a form, whose checkboxes have one name each.
import type { Access, AccessList } from "../api/shapes";

type Role = Access["roles"][number];

/** The roles that a list can name: owner and admins see every channel. */
export const LISTED_ROLES: readonly { role: Role; label: string }[] = [
  { role: "moderator", label: "Moderators" },
  { role: "member", label: "Members" },
];

export const PRIVATE = "private";
export const roleField = (role: Role) => `role:${role}`;
export const userField = (userId: string) => `user:${userId}`;

/** The access list that a form has, or null for a public channel. */
export function accessFrom(values: Record<string, string>): AccessList | null {
  if (!(PRIVATE in values)) return null;
  return {
    roles: LISTED_ROLES.map((each) => each.role).filter((role) => roleField(role) in values),
    userIds: Object.keys(values)
      .filter((name) => name.startsWith("user:"))
      .map((name) => name.slice("user:".length)),
  };
}

/** Whether saving a list would change what a channel has. */
export function isChanged(before: Access, wanted: AccessList | null): boolean {
  if (wanted === null) return before.private;
  const same = (one: string[], other: string[]) =>
    one.length === other.length && one.every((each) => other.includes(each));
  return !before.private || !same(before.roles, wanted.roles) || !same(before.userIds, wanted.userIds);
}
