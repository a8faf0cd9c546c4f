// The account of the user: sign in, register, reset, profile, sessions.
import { request, requestUnsigned, upload } from "../api/client";
import { Problem } from "../api/problems";
import type { SessionRow } from "../api/shapes";
import { startSession, endSession as clearSession } from "../api/session";
import { forgetDrafts } from "../store/drafts";
import { store } from "../store/store";

function device(): string {
  const agent = navigator.userAgent;
  const browser = /Firefox/.test(agent)
    ? "Firefox"
    : /Edg/.test(agent)
      ? "Edge"
      : /Chrome/.test(agent)
        ? "Chrome"
        : "Safari";
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0] ?? "a computer";
  return `${browser} on ${system}`;
}

export async function signIn(email: string, password: string): Promise<void> {
  startSession(await requestUnsigned("/v1/auth/login", { body: { email, password, device: device() } }));
}

/** Register and sign in; or, where the server confirms addresses, request the email. */
export async function register(
  email: string,
  username: string,
  password: string,
): Promise<"signed in" | "mailed"> {
  try {
    startSession(
      await requestUnsigned("/v1/auth/register", { body: { email, username, password, device: device() } }),
    );
    return "signed in";
  } catch (error) {
    if (!(error instanceof Problem && error.code === "registration_by_mail")) throw error;
    await requestUnsigned("/v1/auth/registrations", { body: { email, username, password } });
    return "mailed";
  }
}

export async function confirmRegistration(token: string): Promise<void> {
  startSession(
    await requestUnsigned("/v1/auth/registrations/confirm", { body: { token, device: device() } }),
  );
}

export async function requestReset(email: string): Promise<void> {
  await requestUnsigned("/v1/auth/reset", { body: { email } });
}

export async function confirmReset(token: string, password: string): Promise<void> {
  await requestUnsigned("/v1/auth/reset/confirm", { body: { token, password } });
}

export async function signOut(): Promise<void> {
  // The browser removes its tokens even if the request fails.
  await request("post", "/v1/auth/logout").catch(() => undefined);
  forgetDrafts();
  clearSession();
}

export async function changeProfile(changes: {
  username?: string;
  displayName?: string | null;
  avatarUrl?: string | null;
}): Promise<void> {
  const me = await request("patch", "/v1/users/me", { body: changes });
  store.apply({ t: "user.updated", d: me });
}

export async function uploadAvatar(file: File): Promise<string> {
  const { fileId } = await upload(file, "avatar", () => undefined, new AbortController().signal);
  return `/v1/attachments/${fileId}`;
}

export async function changePassword(current: string, next: string): Promise<void> {
  await request("put", "/v1/users/me/password", { body: { current, next } });
}

export async function listSessions(): Promise<SessionRow[]> {
  return (await request("get", "/v1/users/me/sessions", { query: { limit: 100 } })).items;
}

export async function endSession(sessionId: string): Promise<void> {
  await request("delete", "/v1/users/me/sessions/{sessionId}", { path: { sessionId } });
}
