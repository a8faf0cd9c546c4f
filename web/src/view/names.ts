// How users are named on screen.

export interface Named {
  username: string;
  displayName?: string | null;
}

/** The name that a user is shown by: the display name, or the username of a user without one. */
export function shownName(user: Named): string {
  return user.displayName ?? user.username;
}

/** The username as secondary text, for a user who is shown by a display name. */
export function secondaryName(user: Named): string | undefined {
  return user.displayName == null ? undefined : `@${user.username}`;
}
