// Completion in the composer: the users, or the slash commands, that match the text before the cursor.
import type { Command, Person } from "../../api/shapes";
import { shownName } from "../../view/names";

/** What is inserted, and what the list shows of it. */
export type Suggestion =
  | { kind: "person"; key: string; insert: string; person: Person }
  | { kind: "command"; key: string; insert: string; command: Command };

export interface Completion {
  from: number;
  to: number;
  label: string;
  suggestions: Suggestion[];
}

const SHOWN = 6;

export function completionAt(
  text: string,
  cursor: number,
  people: readonly Person[],
  commands: readonly Command[] = [],
): Completion | null {
  return commandsAt(text, cursor, commands) ?? peopleAt(text, cursor, people);
}

function peopleAt(text: string, cursor: number, people: readonly Person[]): Completion | null {
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
  const suggestions = found.map(({ person }) => ({
    kind: "person" as const,
    key: person.userId,
    insert: `@${person.username} `,
    person,
  }));
  return { from: cursor - prefix.length - 1, to: cursor, label: "People", suggestions };
}

/** A command is only at the start of the text. */
function commandsAt(text: string, cursor: number, commands: readonly Command[]): Completion | null {
  const prefix = /^\/([a-z0-9-]{0,32})$/.exec(text.slice(0, cursor))?.[1];
  if (prefix === undefined) return null;
  const found = commands.filter((each) => each.name.startsWith(prefix)).slice(0, SHOWN);
  if (found.length === 0) return null;
  const suggestions = found.map((command) => ({
    kind: "command" as const,
    key: command.name,
    insert: `/${command.name} `,
    command,
  }));
  return { from: 0, to: cursor, label: "Commands", suggestions };
}

/** The command that a text calls, and what follows its name; null if it is a message. */
export function calledCommand(
  text: string,
  commands: readonly Command[],
): { command: Command; rest: string } | null {
  const match = /^\/([a-z0-9-]{1,32})(?:\s+([^]*))?$/.exec(text);
  const command = commands.find((each) => each.name === match?.[1]);
  return match === null || command === undefined ? null : { command, rest: match[2] ?? "" };
}
