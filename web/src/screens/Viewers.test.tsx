import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { startSession } from "../api/session";
import type { Me, SignedIn } from "../api/shapes";
import { store } from "../store/store";
import { render } from "../view/testing";
import { Viewers } from "./Viewers";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("names the others who look at the channel, and shows a few of them", async () => {
  vi.useFakeTimers();
  startSession({ accessToken: "t", refreshToken: "r", expiresIn: 600, user: {} } as SignedIn);
  act(() => store.apply({ t: "own.session", d: { me: { userId: "ana" } as Me } }));
  const items = ["ana", "ben", "cleo", "dora", "emil"].map((name) => ({
    userId: name,
    username: name,
    displayName: null,
    avatarUrl: null,
    since: "2026-01-01T00:00:00.000Z",
  }));
  vi.stubGlobal("fetch", (url: string) => {
    expect(url).toContain("/v1/channels/C/viewers");
    return Promise.resolve(Response.json({ items, next: null }));
  });

  const { container } = render(<Viewers channelId="C" />);
  expect(container.textContent).toBe("");
  await act(() => vi.advanceTimersByTimeAsync(1100));

  expect(container.querySelector(".viewers")?.getAttribute("aria-label")).toBe(
    "Looking now: ben, cleo, dora, emil",
  );
  expect(container.querySelectorAll(".avatar")).toHaveLength(3);
  expect(container.textContent).toContain("+1");
});
