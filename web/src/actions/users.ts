// Users that no other response included: loaded once, when their name is needed.
import { useEffect } from "react";
import { request } from "../api/client";
import type { Person } from "../api/shapes";
import { store, useStore } from "../store/store";

const asked = new Set<string>();

/** A user by id; undefined while loading, and for a deleted account. */
export function usePerson(userId: string): Person | undefined {
  const person = useStore((state) => state.people[userId]);
  const isUnknown = person === undefined;
  useEffect(() => {
    if (isUnknown && userId !== "" && userId !== "system") void loadUser(userId);
  }, [isUnknown, userId]);
  return person;
}

async function loadUser(userId: string): Promise<void> {
  if (asked.has(userId)) return;
  asked.add(userId);
  try {
    const person = await request("get", "/v1/users/{userId}", { path: { userId } });
    store.apply({ t: "own.person", d: { person } });
  } catch {
    // A deleted account stays unnamed.
  }
}
