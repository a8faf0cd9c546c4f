// What every part of an open thread asks: the thread, oneself in it, and what one may do there.
import { useEffect, useState } from "react";
import { sideOf, standingTo, waysFor, type Way } from "../../cards/types";
import type { Card, Thread, ThreadRole } from "../../api/shapes";
import type { Seat } from "../../store/threads";
import { useStore } from "../../store/store";

const NO_SEATS: Readonly<Record<string, Seat>> = {};

export function useSeats(threadId: string): Readonly<Record<string, Seat>> {
  return useStore((state) => state.seats[threadId]) ?? NO_SEATS;
}

/** Until when one may not speak, if one may not. */
export function useSilence(threadId: string): string | null {
  const until = useStore((state) => state.seats[threadId]?.[state.me?.userId ?? ""]?.blockedUntil ?? null);
  const now = useNow(until);
  return until !== null && Date.parse(until) > now ? until : null;
}

/** Whether something can be added to the thread just now. */
export function useIsOpen(threadId: string): boolean {
  const isOpen = useStore((state) => state.threads[threadId]?.status === "open");
  return useSilence(threadId) === null && isOpen;
}

export function useWays(card: Card): Way[] {
  const thread = useStore((state) => state.threads[card.threadId]);
  const me = useStore((state) => state.me?.userId ?? "");
  const seats = useSeats(card.threadId);
  const isOpen = useIsOpen(card.threadId);
  const ends = card.payload["expiresAt"];
  const now = useNow(typeof ends === "string" ? ends : null);
  if (thread === undefined || !isOpen) return [];
  return waysFor(card, standingTo(card, sideOf(card, thread, seats), me, thread.roleContext), now);
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The present, told again at that moment: what ends then is shown as ended. */
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

/** On which side somebody is, in words. */
export const SIDES: Readonly<Record<ThreadRole, string>> = {
  buyer: "Buyer",
  seller: "Seller",
  admin: "Admin",
};

export function kindName(thread: Thread): string {
  return thread.kind === "project" ? "Project" : "Inquiry";
}
