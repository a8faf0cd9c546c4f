// Hooks of an open thread: participants, permissions, and the current time.
import { useEffect, useState } from "react";
import { sideOf, rolesOf, transitionsFor, type Transition } from "../../cards/types";
import type { Card, Thread, ThreadRole } from "../../api/shapes";
import type { Seat } from "../../store/threads";
import { useStore } from "../../store/store";

const NO_SEATS: Readonly<Record<string, Seat>> = {};

export function useSeats(threadId: string): Readonly<Record<string, Seat>> {
  return useStore((state) => state.seats[threadId]) ?? NO_SEATS;
}

/** When the user's mute ends, or null if they are not muted. */
export function useMutedUntil(threadId: string): string | null {
  const until = useStore((state) => state.seats[threadId]?.[state.me?.userId ?? ""]?.blockedUntil ?? null);
  const now = useNow(until);
  return until !== null && Date.parse(until) > now ? until : null;
}

/** Whether the user can add something to the thread. */
export function useIsOpen(threadId: string): boolean {
  const isOpen = useStore((state) => state.threads[threadId]?.status === "open");
  return useMutedUntil(threadId) === null && isOpen;
}

export function useTransitions(card: Card): Transition[] {
  const thread = useStore((state) => state.threads[card.threadId]);
  const me = useStore((state) => state.me?.userId ?? "");
  const seats = useSeats(card.threadId);
  const isOpen = useIsOpen(card.threadId);
  const ends = card.payload["expiresAt"];
  const now = useNow(typeof ends === "string" ? ends : null);
  if (thread === undefined || !isOpen) return [];
  return transitionsFor(card, rolesOf(card, sideOf(card, thread, seats), me, thread.roleContext), now);
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The current time, updated at that moment so that what expires is shown as expired. */
export function useNow(moment: string | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const left = moment === null ? Infinity : Date.parse(moment) - Date.now();
    if (left > LONGEST_TIMER_MS) return;
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, left) + 20);
    return () => clearTimeout(timer);
  }, [moment]);
  return now;
}

/** The display name of a side. */
export const SIDES: Readonly<Record<ThreadRole, string>> = {
  buyer: "Buyer",
  seller: "Seller",
  admin: "Admin",
};

export function kindName(thread: Thread): string {
  return thread.kind === "project" ? "Project" : "Inquiry";
}
