// People whom nothing else has introduced: asked for once, when their name is needed.
import { useEffect } from "react";
import { request } from "../api/client";
import type { Person } from "../api/shapes";
import { store, useStore } from "../store/store";

const asked = new Set<string>();

/** Somebody by their id; undefined while they are unknown, or for good if their account is gone. */
export function usePerson(userId: string): Person | undefined {
  const person = useStore((state) => state.people[userId]);
  const isUnknown = person === undefined;
  useEffect(() => {
    if (isUnknown && userId !== "" && userId !== "system") void introduce(userId);
  }, [isUnknown, userId]);
  return person;
}

async function introduce(userId: string): Promise<void> {
  if (asked.has(userId)) return;
  asked.add(userId);
  try {
    const person = await request("get", "/v1/users/{userId}", { path: { userId } });
    store.apply({ t: "own.person", d: { person } });
  } catch {
    // Nobody of that name any more: they stay unnamed.
  }
}
