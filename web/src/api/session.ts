// The session of this browser: its tokens, their renewal, and the coordination with other tabs.
//
// Tokens are kept in localStorage: a script that runs in this page could read them there. This is accepted because
// the page runs no script but its own (a strict Content-Security-Policy, text never becomes markup), the access token
// lives for minutes, a refresh token works once and its reuse ends the session; a cookie instead would bring CSRF to
// every route and would not work for clients of another origin.
import { BASE } from "./base";
import { Problem, SignedOut, Unreachable } from "./problems";
import type { Me, SignedIn } from "./shapes";

/** Two sites at the same origin have a session each. */
const KEY = `sobremesa.session${BASE}`;
const LOCK = KEY;
/** A token that expires sooner than this is renewed before use. */
const MARGIN_MS = 30_000;

export interface Session {
  accessToken: string;
  refreshToken: string;
  expiresAt: number;
  user: Me;
}

type Listener = (session: Session | null) => void;

const listeners = new Set<Listener>();
let renewing: Promise<Session> | null = null;

export function currentSession(): Session | null {
  const text = localStorage.getItem(KEY);
  if (text === null) return null;
  try {
    return JSON.parse(text) as Session;
  } catch {
    return null;
  }
}

export function startSession(signedIn: SignedIn): Session {
  const session: Session = {
    accessToken: signedIn.accessToken,
    refreshToken: signedIn.refreshToken,
    expiresAt: Date.now() + signedIn.expiresIn * 1000,
    user: signedIn.user,
  };
  localStorage.setItem(KEY, JSON.stringify(session));
  notify(session);
  return session;
}

export function endSession(): void {
  if (localStorage.getItem(KEY) === null) return;
  localStorage.removeItem(KEY);
  notify(null);
}

/** Call a listener when the user signs in or out, in this tab or another. */
export function onSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Return a valid access token, renewed if needed; throws SignedOut without a session. */
export async function accessToken(): Promise<string> {
  const session = currentSession();
  if (session === null) throw new SignedOut();
  if (session.expiresAt - MARGIN_MS > Date.now()) return session.accessToken;
  return (await renew(session.accessToken)).accessToken;
}

/** Return a session with a new access token in place of this one, which was refused or is about to expire. */
export function renew(refused: string): Promise<Session> {
  renewing ??= alone(() => renewOnce(refused)).finally(() => (renewing = null));
  return renewing;
}

// A refresh token works once. Tabs take turns, and the second one finds the new token in the storage.
async function renewOnce(refused: string): Promise<Session> {
  const session = currentSession();
  if (session === null) throw new SignedOut();
  if (session.accessToken !== refused) return session;
  let answer: Response;
  try {
    answer = await fetch(`${BASE}/v1/auth/refresh`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ refreshToken: session.refreshToken }),
    });
  } catch {
    throw new Unreachable();
  }
  if (answer.ok) return startSession((await answer.json()) as SignedIn);
  if (answer.status === 401) {
    endSession();
    throw new SignedOut();
  }
  throw new Problem(answer.status, await answer.json().catch(() => null));
}

function alone(work: () => Promise<Session>): Promise<Session> {
  // Locks exist on https and localhost only; elsewhere the server's grace period for a repeated token covers this.
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks === undefined ? work() : locks.request(LOCK, work);
}

function notify(session: Session | null): void {
  for (const listener of listeners) listener(session);
}

addEventListener("storage", (event) => {
  if (event.key !== KEY && event.key !== null) return;
  const [before, after] = [event.oldValue === null, event.newValue === null];
  if (before !== after) notify(currentSession());
});
