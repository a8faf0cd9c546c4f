// The store: one state, its reducers, and the hook that selects a part of it.
import { useRef, useSyncExternalStore } from "react";
import type { Change } from "./changes";
import { reduceCommands } from "./commands";
import { reduceInboxes } from "./inboxes";
import { reduceMessages } from "./messages";
import { reduceOutbox } from "./outbox";
import { reducePeople } from "./people";
import { reduceRooms } from "./rooms";
import { EMPTY, type State } from "./state";
import { reduceThreads } from "./threads";
import { reduceWorkspaces } from "./workspaces";

const REDUCERS: readonly ((state: State, change: Change) => State)[] = [
  reduceOwn,
  reduceMessages,
  reduceRooms,
  reduceOutbox,
  reduceThreads,
  reduceInboxes,
  reduceWorkspaces,
  reduceCommands,
  reducePeople,
];

export function reduce(state: State, change: Change): State {
  if (change.t === "own.session" && change.d.me === null) return EMPTY;
  return REDUCERS.reduce((before, reducer) => reducer(before, change), state);
}

function reduceOwn(state: State, change: Change): State {
  switch (change.t) {
    case "own.link":
      return { ...state, link: change.d.link };
    case "own.opened":
      return { ...state, openRoom: change.d.room };
    case "own.viewing":
      return state.viewing === change.d.room ? state : { ...state, viewing: change.d.room };
    default:
      return state;
  }
}

export class Store {
  private state = EMPTY;
  private readonly listeners = new Set<() => void>();
  private readonly recordings = new Set<{ types: readonly Change["t"][]; changes: Change[] }>();

  readonly get = (): State => this.state;

  readonly apply = (change: Change): void => {
    for (const { types, changes } of this.recordings) if (types.includes(change.t)) changes.push(change);
    const fresh = reduce(this.state, change);
    if (fresh === this.state) return;
    this.state = fresh;
    for (const listener of this.listeners) listener();
  };

  /** Record the changes of these types until stopped. */
  readonly record = (types: readonly Change["t"][]): { changes: readonly Change[]; stop: () => void } => {
    const recording = { types, changes: [] };
    this.recordings.add(recording);
    return { changes: recording.changes, stop: () => this.recordings.delete(recording) };
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export const store = new Store();

/** Select a part of the state. A selector that returns a new object each time needs an `isSame`. */
export function useStore<T>(select: (state: State) => T, isSame: (a: T, b: T) => boolean = Object.is): T {
  const last = useRef<{ value: T } | null>(null);
  return useSyncExternalStore(store.subscribe, () => {
    const value = select(store.get());
    if (last.current !== null && isSame(last.current.value, value)) return last.current.value;
    last.current = { value };
    return value;
  });
}

/** The same entries in the same order. */
export function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((each, index) => Object.is(each, b[index]));
}
