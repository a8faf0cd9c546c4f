import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SignedOut, Unreachable } from "../api/problems";
import type { LiveEvent } from "./frames";
import { Gateway, type Link } from "./gateway";

interface Sent {
  op: number;
  d: Record<string, unknown>;
}

/** A fake socket; the test is the server. */
class FakeSocket {
  static all: FakeSocket[] = [];
  static get last(): FakeSocket {
    const last = FakeSocket.all.at(-1);
    if (last === undefined) throw new Error("no connection");
    return last;
  }

  readyState = 1;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly sent: Sent[] = [];
  closedWith: number | null = null;

  constructor() {
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Sent);
  }

  close(code: number): void {
    this.readyState = 3;
    this.closedWith = code;
  }

  receive(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  drop(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  of(op: number): Sent[] {
    return this.sent.filter((each) => each.op === op);
  }
}

const settle = async () => {
  await vi.advanceTimersByTimeAsync(0);
};
const hello = { op: 10, d: { heartbeatInterval: 30_000 } };
const ready = (s: string, more: object = {}) => ({ op: 0, t: "ready", s, d: { sessionId: "S1", ...more } });

describe("the gateway", () => {
  let events: LiveEvent[];
  let links: Link[];
  let token: (refused?: string) => Promise<string>;
  let signedOut: number;
  let watched: (readonly string[])[];
  let gateway: Gateway;

  beforeEach(() => {
    vi.useFakeTimers();
    FakeSocket.all = [];
    events = [];
    links = [];
    signedOut = 0;
    watched = [];
    token = (refused) => Promise.resolve(refused === undefined ? "T1" : `after ${refused}`);
    gateway = new Gateway({
      url: "ws://here/v1/gateway",
      token: (refused) => token(refused),
      onEvent: (event) => events.push(event),
      onLink: (link) => links.push(link),
      onWatched: (channelIds) => watched.push(channelIds),
      onSignedOut: () => (signedOut += 1),
      open: () => new FakeSocket() as unknown as WebSocket,
      random: () => 0.5,
    });
    gateway.start();
  });

  afterEach(() => {
    gateway.stop();
    vi.useRealTimers();
  });

  async function live(): Promise<void> {
    FakeSocket.last.receive(hello);
    await settle();
    FakeSocket.last.receive(ready("c1"));
  }

  it("identifies after hello, and is live after ready", async () => {
    await live();
    expect(FakeSocket.last.sent).toEqual([{ op: 2, d: { token: "T1" } }]);
    expect(links.at(-1)).toBe("live");
  });

  it("resumes where it was when the server restarts", async () => {
    await live();
    FakeSocket.last.receive({ op: 0, t: "message.created", s: "c2", id: "e2", d: {} });
    FakeSocket.last.drop(1012);
    expect(links.at(-1)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(500);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.last.receive(hello);
    await settle();
    expect(FakeSocket.last.sent).toEqual([{ op: 6, d: { token: "T1", sessionId: "S1", s: "c2" } }]);
    FakeSocket.last.receive({ op: 0, t: "resumed", s: "c3", d: {} });
    expect(links.at(-1)).toBe("live");
  });

  it("drops a duplicate event", async () => {
    await live();
    const event = { op: 0, t: "message.created", s: "c2", id: "e2", d: {} };
    FakeSocket.last.receive(event);
    FakeSocket.last.receive({ ...event, s: "c3" });
    expect(events.map((each) => each.t)).toEqual(["ready", "message.created"]);
  });

  it("identifies again on the same socket when its session is invalid", async () => {
    await live();
    FakeSocket.last.drop(1006);
    await vi.advanceTimersByTimeAsync(500);
    FakeSocket.last.receive(hello);
    await settle();
    FakeSocket.last.receive({ op: 9, d: false });
    await settle();
    expect(FakeSocket.last.sent.map((each) => each.op)).toEqual([6, 2]);
  });

  it("disconnects when the server asks to, and resumes", async () => {
    await live();
    const first = FakeSocket.last;
    first.receive({ op: 7 });
    expect(first.closedWith).toBe(4900);
    await vi.advanceTimersByTimeAsync(500);
    FakeSocket.last.receive(hello);
    await settle();
    expect(FakeSocket.last.of(6)).toHaveLength(1);
  });

  it("reconnects when a busy server says, with a random part of the spread, and no earlier", async () => {
    await live();
    FakeSocket.last.receive({ op: 7, d: { retryAfter: 12, spread: 4 } });
    FakeSocket.last.drop(4013);
    await vi.advanceTimersByTimeAsync(13_900);
    gateway.wake();
    expect(FakeSocket.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(200);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it("uses a new token, and does not resume, when its token was refused", async () => {
    await live();
    FakeSocket.last.drop(4004);
    await vi.advanceTimersByTimeAsync(500);
    FakeSocket.last.receive(hello);
    await settle();
    expect(FakeSocket.last.sent).toEqual([{ op: 2, d: { token: "after T1" } }]);
  });

  it("renews its token before expiry, on the same socket", async () => {
    FakeSocket.last.receive(hello);
    await settle();
    FakeSocket.last.receive(ready("c1", { expiresAt: new Date(Date.now() + 600_000).toISOString() }));
    await vi.advanceTimersByTimeAsync(10_000);
    for (let step = 0; step < 18; step++) {
      FakeSocket.last.receive({ op: 11 });
      await vi.advanceTimersByTimeAsync(30_000);
    }
    expect(FakeSocket.last.of(2).map((each) => each.d["token"])).toEqual(["T1", "after T1"]);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it("reconnects when a heartbeat is not acknowledged", async () => {
    await live();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(FakeSocket.last.of(1)).toEqual([{ op: 1, d: { s: "c1" } }]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(links).toContain("waiting");
  });

  it("waits longer each time, up to a bound", async () => {
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt++) {
      const before = Date.now();
      const known = FakeSocket.all.length;
      FakeSocket.last.drop(1006);
      while (FakeSocket.all.length === known) await vi.advanceTimersByTimeAsync(50);
      waits.push(Date.now() - before);
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  it("retries when the server is unreachable for a token", async () => {
    token = () => Promise.reject(new Unreachable());
    FakeSocket.last.receive(hello);
    await settle();
    expect(links.at(-1)).toBe("waiting");
    expect(signedOut).toBe(0);
  });

  it("stops when the user is signed out", async () => {
    token = () => Promise.reject(new SignedOut());
    FakeSocket.last.receive(hello);
    await settle();
    expect(signedOut).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it("reconnects at once when the network is back", () => {
    FakeSocket.last.drop(1006);
    gateway.wake();
    expect(FakeSocket.all).toHaveLength(2);
  });

  it("watches channels once it is identified, and again after a reconnect", async () => {
    gateway.watch(["A"]);
    expect(FakeSocket.last.sent).toEqual([]);
    await live();
    expect(FakeSocket.last.of(2)).toEqual([{ op: 2, d: { token: "T1", channelIds: ["A"] } }]);
    expect(FakeSocket.last.of(14)).toEqual([]);

    gateway.watch(["A"]);
    gateway.watch(["B"]);
    gateway.watch(["C"]);
    expect(FakeSocket.last.of(14)).toEqual([
      { op: 14, id: 1, d: { channelIds: ["B"] } },
      { op: 14, id: 2, d: { channelIds: ["C"] } },
    ]);
    const body = { channels: [] };
    FakeSocket.last.receive({ op: 13, id: 1, d: { status: 200, body } });
    FakeSocket.last.receive({ op: 13, id: 2, d: { status: 429, body } });
    expect(watched).toEqual([]);
    FakeSocket.last.receive({ op: 13, id: 2, d: { status: 200, body } });
    expect(watched).toEqual([["C"]]);

    FakeSocket.last.drop(1006);
    gateway.wake();
    FakeSocket.last.receive(hello);
    await settle();
    expect(FakeSocket.last.sent).toEqual([
      { op: 6, d: { token: "T1", channelIds: ["C"], sessionId: "S1", s: "c1" } },
    ]);
  });

  it("watches what was opened while it connected", async () => {
    FakeSocket.last.receive(hello);
    await settle();
    gateway.watch(["A"]);
    expect(FakeSocket.last.of(14)).toEqual([]);
    FakeSocket.last.receive(ready("c1"));
    expect(FakeSocket.last.of(14)).toEqual([{ op: 14, id: 1, d: { channelIds: ["A"] } }]);
  });
});
