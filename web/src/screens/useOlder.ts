// Loads a room that `ready` did not include because it is older than the first page.
import { useEffect, useState } from "react";
import { useStore } from "../store/store";

/** Load the room unless it is known; return whether that was tried. */
export function useOlder(
  id: string | undefined,
  isKnown: boolean,
  load: (id: string) => Promise<unknown>,
): boolean {
  const isReady = useStore((state) => state.isReady);
  const [tried, setTried] = useState<string | null>(null);
  useEffect(() => {
    if (!isReady || id === undefined || isKnown) return;
    const done = () => setTried(id);
    load(id).then(done, done);
  }, [isReady, id, isKnown, load]);
  return tried !== null && tried === id;
}
