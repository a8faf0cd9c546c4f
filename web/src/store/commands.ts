// Slash commands: those of each community, once loaded, and the private responses to the user's own calls.
import type { Command, CommandResponse } from "../api/shapes";
import type { Change } from "./changes";
import type { State } from "./state";

const KEPT = 20;

export interface Commands {
  commands: Readonly<Record<string, readonly Command[]>>;
  /** The private responses in each channel, oldest first. They are in no history: a reload forgets them. */
  responses: Readonly<Record<string, readonly CommandResponse[]>>;
}

export const NO_COMMANDS: Commands = { commands: {}, responses: {} };

export interface OwnCommandChanges {
  "own.commands": { serverId: string; commands: readonly Command[] };
  "own.dismissed": { channelId: string; responseId: string };
}

export function reduceCommands(state: State, change: Change): State {
  switch (change.t) {
    case "own.commands":
      return { ...state, commands: { ...state.commands, [change.d.serverId]: change.d.commands } };
    case "command.responded": {
      const before = state.responses[change.d.channelId] ?? [];
      if (before.some((each) => isSame(each, change.d))) return state;
      return withResponses(state, change.d.channelId, [...before, change.d].slice(-KEPT));
    }
    case "own.dismissed": {
      const before = state.responses[change.d.channelId] ?? [];
      const left = before.filter((each) => each.responseId !== change.d.responseId);
      return withResponses(state, change.d.channelId, left);
    }
    default:
      return state;
  }
}

function isSame(one: CommandResponse, other: CommandResponse): boolean {
  return one.commandId === other.commandId && one.responseId === other.responseId;
}

function withResponses(state: State, channelId: string, responses: readonly CommandResponse[]): State {
  return { ...state, responses: { ...state.responses, [channelId]: responses } };
}
