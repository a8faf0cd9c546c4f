import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Card } from "../api/shapes";
import { startSession, endSession } from "../api/session";
import type { SignedIn } from "../api/shapes";
import { store } from "../store/store";
import { changeTab, loadPanel, moveCard } from "./threads";

const tab = (sourceVersion: number, content: unknown[]) => ({
  threadId: "T",
  tab: "shotlist",
  content,
  sourceVersion,
  updatedAt: null,
});
const shown = () => store.get().panels["T"]?.shotlist?.content;
const add = (name: string) => (content: unknown) => [...((content as string[] | null) ?? []), name];

/** Stub the server with these responses in order; returns the requests it receives. */
function answers(...all: [number, unknown][]): [string, unknown][] {
  const requests: [string, unknown][] = [];
  vi.stubGlobal("fetch", (url: string, how: { method: string; body?: string }) => {
    requests.push([`${how.method} ${url}`, how.body === undefined ? undefined : JSON.parse(how.body)]);
    const [status, body] = all.shift() ?? [500, {}];
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  return requests;
}

beforeEach(() => {
  startSession({ user: { userId: "ana" }, accessToken: "a", refreshToken: "r", expiresIn: 600 } as SignedIn);
  store.apply({ t: "own.panel", d: { threadId: "T", tabs: [] } });
});
afterEach(() => {
  endSession();
  store.apply({ t: "own.session", d: { me: null } });
  vi.unstubAllGlobals();
});

describe("changing a tab", () => {
  it("is shown at once, and two changes are sent in order", async () => {
    const requests = answers([200, tab(1, ["a"])], [200, tab(2, ["a", "b"])]);
    const first = changeTab("T", "shotlist", add("a"));
    expect(shown()).toEqual(["a"]);
    await Promise.all([first, changeTab("T", "shotlist", add("b"))]);
    expect(requests.map(([, body]) => body)).toEqual([
      { content: ["a"], sourceVersion: 1 },
      { content: ["a", "b"], sourceVersion: 2 },
    ]);
  });

  it("is applied to a concurrent edit", async () => {
    const requests = answers(
      [409, { code: "stale_version" }],
      [200, tab(4, ["x"])],
      [200, tab(5, ["x", "a"])],
    );
    await changeTab("T", "shotlist", add("a"));
    expect(requests.at(-1)).toEqual([
      "PUT /v1/threads/T/tabs/shotlist",
      { content: ["x", "a"], sourceVersion: 5 },
    ]);
    expect(shown()).toEqual(["x", "a"]);
  });

  it("is undone if the server refuses", async () => {
    answers([403, { code: "blocked", detail: "They blocked you." }]);
    await expect(changeTab("T", "shotlist", add("a"))).rejects.toThrow("They blocked you");
    expect(shown()).toBeNull();
  });
});

describe("loading a panel", () => {
  const updated = {
    ...tab(2, ["new"]),
    threadId: "N",
    tab: "shotlist",
    flags: null,
    nsfwBand: null,
  } as const;

  it("keeps a tab that is updated while the response is under way", async () => {
    answers([200, { tabs: [{ ...updated, sourceVersion: 1, content: [] }] }]);
    const loading = loadPanel("N");
    store.apply({ t: "tab.updated", d: updated });
    await loading;
    expect(store.get().panels["N"]?.shotlist?.content).toEqual(["new"]);
  });

  it("keeps nothing of a request that failed", async () => {
    answers([500, {}]);
    const loading = loadPanel("N2").catch(() => "failed");
    store.apply({ t: "tab.updated", d: { ...updated, threadId: "N2" } });
    expect(await loading).toBe("failed");
    expect(store.get().panels["N2"]).toBeUndefined();
  });
});

describe("a transition of a card", () => {
  const card = {
    messageId: "1",
    threadId: "T",
    type: "offer",
    state: "open",
    version: 1,
    payload: {},
  } as Card;

  it("shows the current card after a conflict", async () => {
    answers([409, { code: "card_changed", current: { ...card, state: "declined", version: 2 } }]);
    expect(await moveCard(card, "accepted", null)).toBe(false);
    expect(store.get().cards["T"]?.["1"]?.state).toBe("declined");
  });

  it("throws the reason if the response has no current card", async () => {
    answers([409, { code: "thread_not_open", detail: "This thread is not open." }]);
    await expect(moveCard(card, "accepted", null)).rejects.toThrow("not open");
  });
});
