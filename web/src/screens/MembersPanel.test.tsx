import { act } from "react";
import { expect, it, vi } from "vitest";
import { startSession } from "../api/session";
import type { Member, SignedIn } from "../api/shapes";
import type { ServerEntry } from "../store/state";
import { store } from "../store/store";
import { render } from "../view/testing";
import { MembersPanel } from "./MembersPanel";

const SERVER = { serverId: "S1", role: "member" } as ServerEntry;
const MEMBER = { role: "member", joinedAt: "2026-01-01T00:00:00Z", avatarUrl: null, displayName: null };
const MEMBERS = [
  { ...MEMBER, userId: "U1", username: "ana" },
  { ...MEMBER, userId: "U2", username: "ben" },
] as unknown as Member[];

function named(container: HTMLElement): string[] {
  return MEMBERS.map((each) => each.username).filter((name) => container.textContent.includes(name));
}

it("lists only those who can see a private channel", async () => {
  startSession({ accessToken: "t", refreshToken: "r", expiresIn: 600, user: {} } as SignedIn);
  vi.stubGlobal("fetch", (url: string) => {
    expect(url).toContain("/v1/channels/C1/members");
    return Promise.resolve(new Response(JSON.stringify({ items: [MEMBERS[0]], next: null })));
  });
  act(() => store.apply({ t: "own.members", d: { serverId: "S1", members: MEMBERS } }));
  const channel = { channelId: "C1", private: true, updatedAt: null };
  const panel = (isPrivate: boolean) => (
    <MembersPanel server={SERVER} channel={{ ...channel, private: isPrivate }} onClose={() => undefined} />
  );

  const { container, rerender } = render(panel(true));
  expect(named(container)).toEqual([]);
  await vi.waitFor(async () => {
    await act(() => Promise.resolve());
    expect(named(container)).toEqual(["ana"]);
  });

  rerender(panel(false));
  expect(named(container)).toEqual(["ana", "ben"]);
});
