import { describe, expect, it } from "vitest";
import type {
  Card,
  InboxMessage,
  Item,
  Me,
  Message,
  Thread,
  Workspace,
  WorkspaceMember,
  WorkspaceSetting,
} from "../api/shapes";
import type { Ready, ReadyInbox } from "../live/frames";
import type { Change } from "./changes";
import { chosenStatuses, columnsOf } from "./workspaces";
import { inboxTally } from "./inboxes";
import { EMPTY, type State } from "./state";
import { reduce } from "./store";
import { otherParty, threadsOf, threadTally } from "./threads";

const AT = "2026-11-16T10:00:00.000Z";
const ME = { userId: "ana", username: "ana", displayName: null, tenant: "default" } as Me;
const NONE = { count: 0, capped: false, mentions: 0 };
const thread = {
  threadId: "T",
  kind: "project",
  status: "open",
  buyerUserId: "ana",
  sellerUserId: "bo",
  roleContext: "buyer",
  lastMessageId: "05",
  lastMessageAt: AT,
  muted: false,
  unread: NONE,
  createdAt: AT,
} as Thread;
const inbox: ReadyInbox = {
  tenant: "default",
  inbox: "main",
  title: null,
  description: null,
  total: 2,
  unread: 2,
  categories: { offers: { total: 2, unread: 2, muted: false } },
};
const workspace = {
  workspaceId: "W",
  name: "Kitchen",
  role: "owner",
  createdBy: "ana",
  createdAt: AT,
} as Workspace;

function after(...changes: Change[]): State {
  const ready: Ready = {
    sessionId: "x",
    expiresAt: AT,
    user: ME,
    servers: [],
    conversations: [],
    presences: [],
    threads: [thread],
    inboxes: [inbox],
    workspaces: [workspace],
  };
  return ([{ t: "ready", d: ready }, ...changes] as Change[]).reduce(reduce, EMPTY);
}

function newMessage(messageId: string, authorId = "bo"): Message {
  const place = { roomId: "T", roomKind: "thread", type: "text", content: "x", createdAt: AT };
  return {
    messageId,
    authorId,
    username: authorId,
    displayName: null,
    mentions: [],
    reactions: [],
    attachments: [],
    ...place,
  } as unknown as Message;
}

describe("threads", () => {
  it("count messages of others, but not own, old, viewed or system ones", () => {
    expect(after({ t: "message.created", d: newMessage("06") }).threads["T"]?.unread.count).toBe(1);
    expect(after({ t: "message.created", d: newMessage("06", "ana") }).threads["T"]?.unread.count).toBe(0);
    expect(after({ t: "message.created", d: newMessage("04") }).threads["T"]?.unread.count).toBe(0);
    const notice: Message = { ...newMessage("06"), type: "system" };
    expect(after({ t: "message.created", d: notice }).threads["T"]?.unread.count).toBe(0);
    const looked = after(
      { t: "own.viewing", d: { room: "thread:T" } },
      { t: "message.created", d: newMessage("06") },
    );
    expect(looked.threads["T"]?.unread.count).toBe(0);
    expect(looked.threads["T"]?.lastMessageId).toBe("06");
  });

  it("have nothing unread once read to the end on another device", () => {
    const read = {
      roomId: "T",
      roomKind: "thread",
      userId: "ana",
      lastReadMessageId: "06",
      readAt: AT,
    } as const;
    const state = after({ t: "message.created", d: newMessage("06") }, { t: "read.updated", d: read });
    expect(threadTally(state)).toEqual({ unread: false, mentions: 0 });
  });

  it("keep the fields of the user after thread.updated", () => {
    const { roleContext: _role, muted: _muted, unread: _unread, ...core } = thread;
    const state = after(
      { t: "message.created", d: newMessage("06") },
      { t: "thread.updated", d: { ...core, status: "locked", lockedBy: "bo" } },
    );
    expect(state.threads["T"]).toMatchObject({ status: "locked", roleContext: "buyer", lastMessageId: "06" });
    expect(state.threads["T"]?.unread.count).toBe(1);
  });

  it("are listed by their last activity, with the other party", () => {
    const older = { ...thread, threadId: "U", lastMessageAt: "2026-11-15T10:00:00.000Z" };
    const state = after({ t: "own.threads", d: { threads: [older] } });
    expect(threadsOf(state).map((each) => each.threadId)).toEqual(["T", "U"]);
    expect(otherParty(thread, "ana")).toBe("bo");
    expect(otherParty({ ...thread, roleContext: "seller" }, "cy")).toBe("ana");
  });

  it("are removed when the user is", () => {
    const left = { roomKind: "thread", roomId: "T", userId: "ana" } as const;
    expect(after({ t: "participant.left", d: left }).threads).toEqual({});
  });

  it("know who is muted", () => {
    const seat = {
      userId: "bo",
      username: "bo",
      displayName: null,
      avatarUrl: null,
      roleContext: "seller",
      joinedAt: AT,
    } as const;
    const blocked = {
      ...seat,
      roomKind: "thread",
      roomId: "T",
      role: "seller",
      blockedUntil: "2026-12-01T00:00:00Z",
    } as const;
    const state = after(
      { t: "own.seats", d: { threadId: "T", seats: [{ ...seat, blockedUntil: null }] } },
      { t: "participant.updated", d: blocked },
    );
    expect(state.seats["T"]?.["bo"]?.blockedUntil).toBe("2026-12-01T00:00:00Z");
  });
});

describe("cards and tabs", () => {
  const card = {
    messageId: "05",
    threadId: "T",
    type: "offer",
    state: "open",
    version: 1,
    payload: {},
  } as Card;

  it("ignore older versions", () => {
    const state = after(
      { t: "card.updated", d: { ...card, state: "accepted", version: 2 } },
      { t: "own.cards", d: { threadId: "T", cards: [card] } },
    );
    expect(state.cards["T"]?.["05"]?.state).toBe("accepted");
  });

  it("show the newer snapshot of a tab", () => {
    const tab = {
      threadId: "T",
      tab: "brief",
      content: { text: "new" },
      sourceVersion: 3,
      updatedAt: AT,
      flags: null,
      nsfwBand: null,
    } as const;
    const state = after(
      { t: "own.panel", d: { threadId: "T", tabs: [tab] } },
      { t: "tab.updated", d: { ...tab, content: { text: "old" }, sourceVersion: 2 } },
    );
    expect(state.panels["T"]?.brief?.content).toEqual({ text: "new" });
  });

  it("ignore a panel that was never opened", () => {
    const tab = {
      threadId: "T",
      tab: "brief",
      content: {},
      sourceVersion: 1,
      updatedAt: AT,
      flags: null,
      nsfwBand: null,
    } as const;
    expect(after({ t: "tab.updated", d: tab }).panels).toEqual({});
  });
});

describe("inboxes", () => {
  const place = { tenant: "default", inbox: "main" };
  const notice = (messageId: string, more: Partial<InboxMessage> = {}): InboxMessage => ({
    ...{
      messageId,
      sender: "shop",
      title: messageId,
      body: "",
      category: "offers",
      ctaUri: null,
      readAt: null,
      archivedAt: null,
      snoozedUntil: null,
    },
    ...{ receivedAt: AT, expiresAt: null, audience: "users" as const },
    ...more,
  });
  const page = (filter = { category: null as string | null, unread: false }): Change => ({
    t: "own.inboxPage",
    d: { ...place, filter, messages: [notice("b"), notice("a")], next: null, where: "replace" },
  });
  const shown = (state: State) => state.inboxLists["main"]?.messages.map((each) => each.messageId);

  it("show and count a broadcast once", () => {
    const came: Change = { t: "inbox.message", d: { ...place, ...notice("c", { audience: "everyone" }) } };
    const state = after(page(), came, came);
    expect(shown(state)).toEqual(["c", "b", "a"]);
    expect(inboxTally(state)).toEqual({ unread: true, mentions: 3 });
  });

  it("leave the counts of targeted messages to the server", () => {
    expect(
      after(page(), { t: "inbox.message", d: { ...place, ...notice("c") } }).inboxes["main"]?.unread,
    ).toBe(2);
  });

  it("apply the filter to new messages", () => {
    const news: Change = { t: "inbox.message", d: { ...place, ...notice("c", { category: "news" }) } };
    expect(shown(after(page({ category: "offers", unread: false }), news))).toEqual(["b", "a"]);
  });

  it("keep a message that was just read in the unread list", () => {
    const read: Change = { t: "own.inboxRead", d: { ...place, messageIds: ["a"], readAt: AT } };
    const state = after(page({ category: null, unread: true }), read, read);
    expect(shown(state)).toEqual(["b", "a"]);
    expect(state.inboxes["main"]).toMatchObject({
      unread: 1,
      categories: { offers: { unread: 1, total: 2 } },
    });
  });

  it("remove archived and snoozed messages", () => {
    const here = after(page(), { t: "own.inboxGone", d: { ...place, messageId: "a" } });
    expect(shown(here)).toEqual(["b"]);
    expect(here.inboxes["main"]).toMatchObject({ total: 1, unread: 1 });
    const mark = {
      ...place,
      messageId: "b",
      readAt: null,
      archivedAt: null,
      snoozedUntil: "2999-01-01T00:00:00Z",
    };
    expect(shown(after(page(), { t: "inbox.updated", d: mark }))).toEqual(["a"]);
    expect(
      shown(
        after(
          page(),
          { t: "own.inboxGone", d: { ...place, messageId: "a" } },
          { t: "own.inboxBack", d: { ...place, message: notice("a") } },
        ),
      ),
    ).toEqual(["b", "a"]);
  });

  it("remove recalled messages", () => {
    const here = after(page(), { t: "inbox.recalled", d: { ...place, messageId: "b" } });
    expect(shown(here)).toEqual(["a"]);
  });

  it("show the new content of updated messages", () => {
    const content = { sender: "shop", title: "Corrected", body: "Right", ctaUri: null };
    const here = after(page(), { t: "inbox.edited", d: { ...place, messageId: "b", ...content } });
    expect(shown(here)).toEqual(["b", "a"]);
    expect(here.inboxLists["main"]?.messages[0]).toMatchObject({ ...content, readAt: null });
  });

  it("do not count a muted category", () => {
    const state = after({ t: "own.inboxMuted", d: { ...place, category: "offers", muted: true } });
    expect(state.inboxes["main"]).toMatchObject({
      unread: 0,
      categories: { offers: { unread: 2, muted: true } },
    });
  });

  it("ignore a page of another filter", () => {
    const older: Change = {
      t: "own.inboxPage",
      d: {
        ...place,
        filter: { category: "news", unread: false },
        messages: [notice("0")],
        next: null,
        where: "older",
      },
    };
    expect(shown(after(page(), older))).toEqual(["b", "a"]);
  });
});

describe("workspaces", () => {
  const item = {
    itemId: "1",
    workspaceId: "W",
    title: "Coffee",
    status: "open",
    data: {},
    version: 2,
  } as unknown as Item;
  const member = {
    userId: "bo",
    username: "bo",
    displayName: null,
    avatarUrl: null,
    workspaceId: "W",
    role: "member",
    joinedAt: AT,
  } as WorkspaceMember;
  const open: Change = {
    t: "own.contents",
    d: { workspaceId: "W", members: [member], items: [item], settings: [] },
  };
  const titles = (state: State) => Object.values(state.contents["W"]?.items ?? {}).map((each) => each.title);

  it("ignore older versions of items", () => {
    expect(
      titles(after(open, { t: "workspace.item.updated", d: { ...item, title: "Old", version: 1 } })),
    ).toEqual(["Coffee"]);
    expect(
      titles(after(open, { t: "workspace.item.updated", d: { ...item, title: "Tea", version: 3 } })),
    ).toEqual(["Tea"]);
  });

  it("undo a refused change", () => {
    const changed: Change = { t: "own.item", d: { item: { ...item, title: "Tea" } } };
    expect(titles(after(open, changed, { t: "own.item", d: { item } }))).toEqual(["Coffee"]);
  });

  it("apply events of members, items and settings", () => {
    const state = after(
      open,
      { t: "workspace.member.left", d: { workspaceId: "W", userId: "bo" } },
      { t: "workspace.item.deleted", d: { workspaceId: "W", itemId: "1" } },
      {
        t: "workspace.setting.updated",
        d: { workspaceId: "W", name: "colour", value: "red", updatedBy: null, updatedAt: AT },
      },
    );
    expect(state.contents["W"]).toMatchObject({
      members: {},
      items: {},
      settings: { colour: { value: "red" } },
    });
  });

  it("update the role of the user, and are removed with the membership", () => {
    const changed: Change = { t: "workspace.member.updated", d: { ...member, userId: "ana", role: "admin" } };
    expect(after(changed).workspaces["W"]?.role).toBe("admin");
    const gone: Change = { t: "workspace.member.left", d: { workspaceId: "W", userId: "ana" } };
    expect(after(open, gone)).toMatchObject({ workspaces: {}, contents: {} });
  });

  it("have columns in the usual order", () => {
    const of = (itemId: string, status: string | null) => ({ ...item, itemId, status });
    const columns = columnsOf([
      of("1", null),
      of("2", "done"),
      of("3", "open"),
      of("4", "zebra"),
      of("5", "Doing"),
    ]);
    expect(columns.map((each) => each.status)).toEqual(["open", "Doing", "done", "zebra", null]);
  });

  it("have the chosen columns, even while empty", () => {
    const of = (itemId: string, status: string | null) => ({ itemId, status }) as Item;
    const setting = (value: unknown) => ({ statuses: { name: "statuses", value } as WorkspaceSetting });
    const chosen = chosenStatuses(setting(["idea", "ready", "dropped"])) ?? [];
    const columns = columnsOf([of("1", "Ready"), of("2", "open")], chosen, chosen);
    expect(columns.map((each) => each.status)).toEqual(["idea", "Ready", "dropped", "open"]);
    expect([chosenStatuses({}), chosenStatuses(setting([1])), chosenStatuses(setting("idea"))]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
