import { beforeEach, describe, expect, it } from "vitest";
import type { Conversation, Me, Message } from "../api/shapes";
import type { Ready } from "../live/frames";
import type { Change } from "./changes";
import { KEPT } from "./messages";
import { keep, kept, discardSaved } from "./outbox";
import { EMPTY, type Outgoing, type State } from "./state";
import { reduce } from "./store";

const ME = { userId: "ana", username: "ana", displayName: null, avatarUrl: null } as Me;
const channel = {
  channelId: "C",
  serverId: "S",
  name: "general",
  topic: null,
  lastMessageId: "m1",
  lastReadMessageId: "m1",
  muted: false,
  unread: { count: 0, capped: false, mentions: 0 },
  createdAt: "",
  updatedAt: null,
  private: false,
  data: null,
};
const server = {
  serverId: "S",
  name: "Table",
  ownerId: "ana",
  iconUrl: null,
  createdAt: "",
  updatedAt: null,
  data: null,
};
const READY: Ready = {
  sessionId: "x",
  expiresAt: "2026-11-16T09:40:00.000Z",
  user: ME,
  servers: [{ ...server, role: "owner", channels: [channel] }],
  conversations: [{ convoId: "D", other: null, unread: channel.unread, lastMessageId: null } as Conversation],
  presences: [{ userId: "ben", status: "online" }],
  threads: [],
  inboxes: [],
  workspaces: [],
};
const ROOM = { kind: "channel", id: "C" } as const;

function newMessage(messageId: string, more: Partial<Message> = {}): Message {
  return {
    messageId,
    roomId: "C",
    roomKind: "channel",
    type: "text",
    authorId: "ben",
    username: "ben",
    displayName: null,
    content: messageId,
    edited: false,
    editedAt: null,
    deleted: false,
    replyTo: null,
    attachments: [],
    reactions: [],
    mentions: [],
    action: null,
    flags: null,
    nsfwBand: null,
    data: null,
    createdAt: "2026-11-16T12:00:00.000Z",
    ...more,
  };
}

const after = (state: State, ...changes: Change[]): State => changes.reduce(reduce, state);
const page = (...ids: string[]): Change => ({
  t: "own.page",
  d: {
    room: ROOM,
    messages: ids.map((id) => newMessage(id)),
    where: "replace",
    hasOlder: false,
    hasNewer: false,
  },
});
const texts = (state: State) => state.logs["channel:C"]?.messages.map((each) => each.messageId);

describe("the state", () => {
  let state: State;

  beforeEach(() => {
    localStorage.clear();
    state = after(EMPTY, { t: "ready", d: READY });
  });

  it("trims a long room on the side away from the reader", () => {
    const ids = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => newMessage(`m${String(from + at).padStart(6, "0")}`));
    const older = (from: number, to: number): Change => ({
      t: "own.page",
      d: { room: ROOM, messages: ids(from, to), where: "older", hasOlder: true },
    });
    const newest: Change = {
      t: "own.page",
      d: { room: ROOM, messages: ids(5000, 5000 + KEPT), where: "replace", hasOlder: true, hasNewer: false },
    };
    const up = after(state, newest, older(4950, 5000));
    expect(texts(up)).toHaveLength(KEPT);
    expect(texts(up)?.[0]).toBe("m004950");
    expect(up.logs["channel:C"]).toMatchObject({ hasOlder: true, hasNewer: true });
    const last = 5000 + KEPT;
    const down = after(up, {
      t: "own.page",
      d: { room: ROOM, messages: ids(last - 50, last), where: "newer", hasNewer: false },
    });
    expect(texts(down)).toHaveLength(KEPT);
    expect(texts(down)?.at(-1)).toBe(`m00${last - 1}`);
    expect(down.logs["channel:C"]).toMatchObject({ hasOlder: true, hasNewer: false });

    // A reader at the end keeps it, and new messages push out the oldest.
    const looking: Change = { t: "own.viewing", d: { room: "channel:C" } };
    expect(after(state, newest, looking, older(4950, 5000)).logs["channel:C"]?.hasNewer).toBe(false);
    const received = after(state, newest, looking, { t: "message.created", d: newMessage("m009999") });
    expect(texts(received)).toHaveLength(KEPT);
    expect(texts(received)?.at(-1)).toBe("m009999");
    // A reader further up does not lose messages to new ones.
    expect(texts(after(state, newest, { t: "message.created", d: newMessage("m009999") }))).toHaveLength(
      KEPT + 1,
    );
  });

  it("is filled from ready", () => {
    expect(state.isReady).toBe(true);
    expect(state.servers["S"]?.role).toBe("owner");
    expect(state.channels["C"]?.name).toBe("general");
    expect(state.online).toEqual({ ben: true });
  });

  it("keeps messages in order and without duplicates", () => {
    state = after(
      state,
      page("m3", "m1"),
      { t: "message.created", d: newMessage("m2") },
      { t: "message.created", d: newMessage("m3") },
    );
    expect(texts(state)).toEqual(["m1", "m2", "m3"]);
  });

  it("adds nothing to a log whose end is not loaded", () => {
    const open = page("m1");
    if (open.t === "own.page") open.d.hasNewer = true;
    state = after(state, open, { t: "message.created", d: newMessage("m9") });
    expect(texts(state)).toEqual(["m1"]);
    expect(state.channels["C"]?.unread.count).toBe(1);
  });

  it("completes a page with messages that arrived while it was loading", () => {
    state = after(state, { t: "message.created", d: newMessage("m3") }, page("m1", "m2"));
    expect(texts(state)).toEqual(["m1", "m2", "m3"]);
    const many = Array.from({ length: 25 }, (_, index): Change => ({
      t: "message.created",
      d: newMessage(`m${index + 30}`),
    }));
    state = after(state, ...many, page("m1", "m2"));
    expect(state.logs["channel:C"]?.hasNewer).toBe(true);
  });

  it("marks channels whose messages come as no event", () => {
    const activity = (until: string | null): Change => ({
      t: "channel.activity",
      d: {
        serverId: "S",
        channels: [
          { channelId: "C", after: null, until, changed: until === null },
          { channelId: "unknown", after: null, until, changed: false },
        ],
      },
    });
    state = after(state, activity(null));
    expect(state.channels["C"]?.unread).toEqual({ count: 0, capped: false, mentions: 0 });
    state = after(state, { t: "message.created", d: newMessage("m2") }, activity("m2"));
    expect(state.channels["C"]?.unread).toEqual({ count: 1, capped: false, mentions: 0 });
    state = after(state, activity("m5"));
    expect(state.channels["C"]?.unread).toEqual({ count: 1, capped: true, mentions: 0 });
    expect(state.channels["C"]?.lastMessageId).toBe("m5");
    state = after(state, { t: "own.viewing", d: { room: "channel:C" } }, activity("m6"));
    expect(state.channels["C"]?.unread).toEqual({ count: 1, capped: true, mentions: 0 });
    expect("unknown" in state.channels).toBe(false);
  });

  it("counts unread messages of others, and mentions separately", () => {
    state = after(
      state,
      { t: "message.created", d: newMessage("m2") },
      { t: "message.created", d: newMessage("m3", { mentions: ["ana"] }) },
      { t: "message.created", d: newMessage("m4", { authorId: "ana" }) },
    );
    expect(state.channels["C"]?.unread).toEqual({ count: 2, capped: false, mentions: 1 });
    state = after(
      state,
      { t: "own.viewing", d: { room: "channel:C" } },
      { t: "message.created", d: newMessage("m5") },
    );
    expect(state.channels["C"]?.unread.count).toBe(2);
    const read = {
      roomId: "C",
      roomKind: "channel",
      userId: "ana",
      lastReadMessageId: "m5",
      readAt: "",
    } as const;
    state = after(state, { t: "read.updated", d: read });
    expect(state.channels["C"]?.unread.count).toBe(0);
  });

  it("does not count the same message twice", () => {
    state = after(
      state,
      { t: "message.created", d: newMessage("m2") },
      { t: "message.created", d: newMessage("m2") },
    );
    expect(state.channels["C"]?.unread.count).toBe(1);
  });

  it("keeps the own reactions, which events do not mark", () => {
    const reaction = { roomId: "C", roomKind: "channel", messageId: "m1", emoji: "👍" } as const;
    state = after(
      state,
      page("m1"),
      { t: "own.reacted", d: { room: ROOM, messageId: "m1", emoji: "👍", me: true } },
      { t: "reaction.added", d: { ...reaction, userId: "ana", count: 1, userIds: ["ana"] } },
      { t: "reaction.added", d: { ...reaction, userId: "ben", count: 2, userIds: ["ana", "ben"] } },
    );
    expect(state.logs["channel:C"]?.messages[0]?.reactions).toEqual([
      { emoji: "👍", count: 2, userIds: ["ana", "ben"], me: true },
    ]);
    const edited = newMessage("m1", { reactions: [{ emoji: "👍", count: 2, userIds: [], me: false }] });
    state = after(state, { t: "message.updated", d: edited });
    expect(state.logs["channel:C"]?.messages[0]?.reactions[0]?.me).toBe(true);
    state = after(state, { t: "reaction.removed", d: { ...reaction, userId: "ana", count: 0, userIds: [] } });
    expect(state.logs["channel:C"]?.messages[0]?.reactions).toEqual([]);
  });

  it("empties a deleted message and keeps its position", () => {
    const gone = { roomId: "C", roomKind: "channel", messageId: "m1" } as const;
    state = after(state, page("m1", "m2"), { t: "message.deleted", d: gone });
    expect(state.logs["channel:C"]?.messages[0]).toMatchObject({ deleted: true, content: "" });
    expect(texts(state)).toEqual(["m1", "m2"]);
  });

  it("updates the last message of a conversation", () => {
    const message = newMessage("m5", { roomKind: "conversation", roomId: "D", content: "hola" });
    state = after(state, { t: "message.created", d: message });
    expect(state.conversations["D"]).toMatchObject({ lastMessageBody: "hola", lastMessageSender: "ben" });
  });

  it("removes a community with its channels after leaving", () => {
    state = after(state, { t: "member.left", d: { serverId: "S", userId: "ana" } });
    expect(state.servers).toEqual({});
    expect(state.channels).toEqual({});
  });
});

describe("the outbox", () => {
  const outgoing: Outgoing = {
    nonce: "n1",
    room: ROOM,
    content: "hello",
    replyTo: null,
    attachments: [],
    createdAt: "2026-11-16T12:00:00.000Z",
    state: "sending",
  };
  let state: State;

  beforeEach(() => {
    localStorage.clear();
    state = after(EMPTY, { t: "ready", d: READY }, page("m1"), { t: "own.queued", d: { outgoing } });
  });

  it("removes a message when the response arrives", () => {
    state = after(state, {
      t: "own.sent",
      d: { nonce: "n1", message: newMessage("m2", { authorId: "ana", content: "hello" }) },
    });
    expect(state.outbox).toEqual([]);
    expect(texts(state)).toEqual(["m1", "m2"]);
  });

  it("shows a message once if the event arrives before the response", () => {
    const message = newMessage("m2", { authorId: "ana", content: "hello" });
    state = after(state, { t: "message.created", d: { ...message, nonce: "n1" } });
    expect(state.outbox).toEqual([]);
    state = after(state, { t: "own.sent", d: { nonce: "n1", message } });
    expect(texts(state)).toEqual(["m1", "m2"]);
  });

  it("keeps a message when another tab sends the same text", () => {
    const other = newMessage("m2", { authorId: "ana", content: "hello" });
    state = after(state, { t: "message.created", d: { ...other, nonce: "n2" } });
    state = after(state, { t: "own.outgoing", d: { nonce: "n1", state: "failed", why: "Too long." } });
    expect(state.outbox).toMatchObject([{ nonce: "n1", state: "failed" }]);
  });

  it("keeps the reason of a failure until the retry", () => {
    state = after(state, { t: "own.outgoing", d: { nonce: "n1", state: "failed", why: "Too long." } });
    expect(state.outbox[0]).toMatchObject({ state: "failed", why: "Too long." });
    state = after(state, { t: "own.outgoing", d: { nonce: "n1", state: "sending" } });
    expect(state.outbox[0]?.why).toBeUndefined();
  });

  it("survives a reload, for the same user only", () => {
    keep("ana", outgoing);
    expect(kept("ana")).toEqual([{ ...outgoing, state: "waiting" }]);
    expect(kept("ben")).toEqual([]);
    discardSaved("ana", "n1");
    expect(kept("ana")).toEqual([]);
  });
});

describe("a community that the user is no longer a member of", () => {
  const ready = after(EMPTY, { t: "ready", d: READY });

  it("is known by its name after a kick", () => {
    const state = after(ready, { t: "member.left", d: { serverId: "S", userId: "ana" } });
    expect(state.servers["S"]).toBeUndefined();
    expect(state.lost["S"]).toEqual({ name: "Table", why: "removed" });
  });

  it("is known by its name after it was deleted", () => {
    const state = after(ready, { t: "server.deleted", d: { serverId: "S" } });
    expect(state.lost["S"]?.why).toBe("deleted");
  });

  it("is known by its name after a kick while offline", () => {
    const state = after(ready, { t: "ready", d: { ...READY, servers: [] } });
    expect(state.lost["S"]?.name).toBe("Table");
  });

  it("is no longer lost after rejoining", () => {
    const gone = after(ready, { t: "member.left", d: { serverId: "S", userId: "ana" } });
    expect(after(gone, { t: "ready", d: READY }).lost).toEqual({});
    expect(after(gone, { t: "server.created", d: server }).lost).toEqual({});
  });
});

it("an unpinned message is no longer among the pins of its room", () => {
  const pins = [{ message: newMessage("m1"), pinnedBy: "ben", pinnedAt: "" }];
  const state = after(
    EMPTY,
    { t: "ready", d: READY },
    { t: "own.pins", d: { room: ROOM, pins } },
    {
      t: "pin.removed",
      d: { roomKind: "channel", roomId: "C", messageId: "m1", pinnedBy: "ben", pinnedAt: "" },
    },
  );
  expect(state.pins["channel:C"]).toEqual([]);
});
