// Loading what events also change.
import type { Change, OwnChange } from "./changes";
import type { Store } from "./store";

type EventName = Exclude<Change["t"], OwnChange["t"]>;

/**
 * Load, apply the changes, and then again the events of these types that arrived while the request was under way.
 *
 * The response may be older than they are. The events must be of a kind that changes nothing when applied twice.
 * Returns these events.
 */
export async function loadBeside(
  store: Store,
  events: readonly EventName[],
  load: () => Promise<readonly OwnChange[]>,
): Promise<readonly Change[]> {
  const recording = store.record(events);
  try {
    for (const change of await load()) store.apply(change);
  } finally {
    recording.stop();
  }
  for (const event of recording.changes) store.apply(event);
  return recording.changes;
}
