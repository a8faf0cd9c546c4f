// The session of this browser: its tokens, their renewal, and what other tabs do to them.
//
// Tokens are kept in localStorage: a script that runs in this page could read them there. The trade is taken because
// the page runs no script but its own (a strict Content-Security-Policy, text never becomes markup), the access token
// lives for minutes, a refresh token works once and its reuse ends the session; a cookie instead would bring CSRF to
// every route and would not work for clients of another origin.
import { Problem, SignedOut, Unreachable } from "./problems";
import type { Me, SignedIn } from "./shapes";

const KEY = "sobremesa.session";
const LOCK = "sobremesa.session";
/** A token this near to its end is renewed before it is used. */
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

export function begin(signedIn: SignedIn): Session {
  const session: Session = {
    accessToken: signedIn.accessToken,
    refreshToken: signedIn.refreshToken,
    expiresAt: Date.now() + signedIn.expiresIn * 1000,
    user: signedIn.user,
  };
  localStorage.setItem(KEY, JSON.stringify(session));
  tell(session);
  return session;
}

export function end(): void {
  if (localStorage.getItem(KEY) === null) return;
  localStorage.removeItem(KEY);
  tell(null);
}

/** Hear when somebody signs in or out, here or in another tab. */
export function onSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** An access token that is good for a while, renewed if need be; SignedOut if there is no session any more. */
export async function accessToken(): Promise<string> {
  const session = currentSession();
  if (session === null) throw new SignedOut();
  if (session.expiresAt - MARGIN_MS > Date.now()) return session.accessToken;
  return (await renew(session.accessToken)).accessToken;
}

/** A session with another access token than this one, which was refused or is about to end. */
export function renew(refused: string): Promise<Session> {
  renewing ??= alone(() => renewOnce(refused)).finally(() => (renewing = null));
  return renewing;
}

// A refresh token works once. Tabs take turns, and whoever comes second finds the new one in the storage.
async function renewOnce(refused: string): Promise<Session> {
  const session = currentSession();
  if (session === null) throw new SignedOut();
  if (session.accessToken !== refused) return session;
  let answer: Response;
  try {
    answer = await fetch("/v1/auth/refresh", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ refreshToken: session.refreshToken }),
    });
  } catch {
    throw new Unreachable();
  }
  if (answer.ok) return begin((await answer.json()) as SignedIn);
  if (answer.status === 401) {
    end();
    throw new SignedOut();
  }
  throw new Problem(answer.status, await answer.json().catch(() => null));
}

function alone(work: () => Promise<Session>): Promise<Session> {
  // Locks exist on https and on this machine only; elsewhere the server's grace for a repeated token has to do.
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks === undefined ? work() : (locks.request(LOCK, work) as Promise<unknown> as Promise<Session>);
}

function tell(session: Session | null): void {
  for (const listener of listeners) listener(session);
}

addEventListener("storage", (event) => {
  if (event.key !== KEY && event.key !== null) return;
  const [before, after] = [event.oldValue === null, event.newValue === null];
  if (before !== after) tell(currentSession());
});
