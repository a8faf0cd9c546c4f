import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endSession, startSession } from "../api/session";
import type { SignedIn } from "../api/shapes";
import { store } from "../store/store";
import { loadCounts, snoozeChoices, webAddress } from "./inboxes";

describe("counts", () => {
  beforeEach(() => {
    startSession({
      user: { userId: "ana" },
      accessToken: "a",
      refreshToken: "r",
      expiresIn: 600,
    } as SignedIn);
  });
  afterEach(() => {
    endSession();
    store.apply({ t: "own.session", d: { me: null } });
    vi.unstubAllGlobals();
  });

  it("are those of an event that arrives while older ones are loading", async () => {
    const place = { tenant: "default", inbox: "news" };
    const counts = (unread: number) => ({ total: 3, unread, categories: {} });
    let loading: Promise<void> | undefined;
    const answer = await new Promise<(response: Response) => void>((requested) => {
      vi.stubGlobal("fetch", () => new Promise<Response>(requested));
      loading = loadCounts(place);
    });
    store.apply({ t: "inbox.counts", d: { ...place, ...counts(2) } });
    answer(Response.json(counts(3)));
    await loading;
    expect(store.get().inboxes["news"]?.unread).toBe(2);
  });
});

describe("the link of a notification", () => {
  it("accepts only http and https", () => {
    expect(webAddress("https://example.org/a?b=c")).toBe("https://example.org/a?b=c");
    expect(webAddress("http://example.org")).toBe("http://example.org/");
    for (const bad of [
      "javascript:alert(1)",
      " javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "/relative",
      "vbscript:x",
      "",
      "app://open",
    ])
      expect(webAddress(bad)).toBeNull();
    expect(webAddress(null)).toBeNull();
  });
});

describe("snoozing", () => {
  it("offers only times in the future", () => {
    for (const day of [15, 16, 17, 18, 19, 20, 21])
      for (const hour of [0, 8, 16, 17, 18, 23]) {
        const now = new Date(2026, 10, day, hour, 30);
        for (const { until } of snoozeChoices(now)) expect(until.getTime()).toBeGreaterThan(now.getTime());
      }
  });

  it("ends on a Monday morning", () => {
    const monday = snoozeChoices(new Date(2026, 10, 16, 9)).find(
      (each) => each.label === "Until Monday",
    )?.until;
    expect([monday?.getDay(), monday?.getDate(), monday?.getHours()]).toEqual([1, 23, 9]);
  });
});
