// Mention completion: the users that match the text before the cursor.
import type { Person } from "../../api/shapes";
import { shownName } from "../../view/names";

export interface Completion {
  from: number;
  to: number;
  people: Person[];
}

const SHOWN = 6;

export function completionAt(text: string, cursor: number, people: readonly Person[]): Completion | null {
  const match = /(?:^|[\s(])@([\p{L}\p{N}\p{M}_.-]{0,32})$/u.exec(text.slice(0, cursor));
  if (match === null) return null;
  const prefix = (match[1] ?? "").toLowerCase();
  const rank = (person: Person) => {
    const names = [person.username.toLowerCase(), shownName(person).toLowerCase()];
    if (names.some((name) => name.startsWith(prefix))) return 0;
    return names.some((name) => name.includes(prefix)) ? 1 : 2;
  };
  const found = people
    .map((person) => ({ person, rank: rank(person) }))
    .filter((each) => each.rank < 2)
    .sort((a, b) => a.rank - b.rank || a.person.username.localeCompare(b.person.username))
    .slice(0, SHOWN);
  if (found.length === 0) return null;
  return { from: cursor - prefix.length - 1, to: cursor, people: found.map((each) => each.person) };
}
