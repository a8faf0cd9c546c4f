import { beforeEach, describe, expect, it } from "vitest";
import { pathAfterSignIn } from "../App";
import { Problem, errorText } from "../api/problems";
import type { Conversation, Me, Member } from "../api/shapes";
import { internalPath } from "../markdown/Markdown";
import { peopleNamed } from "../store/selectors";
import { EMPTY, type State } from "../store/state";
import { destinations, found } from "./destinations";
import { byPresence } from "./MembersPanel";

const person = (userId: string) => ({ userId, username: userId, displayName: null, avatarUrl: null });
const STATE: State = {
  ...EMPTY,
  me: { ...person("ana"), isAdmin: false } as Me,
  people: Object.fromEntries(["ana", "ben", "robert", "zoe"].map((name) => [name, person(name)])),
  servers: {
    S: {
      serverId: "S",
      name: "Harvest",
      ownerId: "ana",
      iconUrl: null,
      createdAt: "",
      updatedAt: null,
      data: null,
      role: "owner",
    },
  },
  conversations: {
    D: {
      convoId: "D",
      type: "direct",
      name: null,
      other: person("zoe"),
      unread: { count: 0, capped: false, mentions: 0 },
      muted: false,
      lastMessageAt: "2026-11-01T00:00:00.000Z",
    } as unknown as Conversation,
  },
};

describe("Ctrl-K", () => {
  const first = (query: string, state = STATE) => found(destinations(state), query, 9)[0]?.to;

  it("finds members without a conversation", () => {
    expect(first("ben")).toEqual({ userId: "ben" });
  });

  it("leads to an existing conversation", () => {
    const all = found(destinations(STATE), "zoe", 9).map((each) => each.to);
    expect(all).toEqual([{ path: "/d/D" }]);
  });

  it("finds communities", () => {
    expect(first("harv")).toEqual({ path: "/c/S" });
  });

  it("offers moderation to administrators only", () => {
    expect(first("moderation")).toBeUndefined();
    expect(first("moderation", { ...STATE, me: { ...STATE.me, isAdmin: true } as Me })).toEqual({
      path: "/admin",
    });
  });
});

describe("user lists", () => {
  it("put usernames that start with the text first", () => {
    expect(peopleNamed(STATE, "be").map((each) => each.username)).toEqual(["ben", "robert"]);
  });

  it("count the user as online", () => {
    const members = ["zoe", "ana", "ben"].map((name) => person(name) as Member);
    const order = members.sort(byPresence({ ben: true, ana: true })).map((each) => each.userId);
    expect(order).toEqual(["ana", "ben", "zoe"]);
  });
});

describe("after signing in", () => {
  beforeEach(() => history.replaceState(null, "", "/signin"));
  const left = { path: "/c/S/C", userId: "ana" };

  it("the same user returns to their last page", () => {
    expect(pathAfterSignIn("ana", left)).toBe("/c/S/C");
  });

  it("another user starts at home", () => {
    expect(pathAfterSignIn("ben", left)).toBe("/");
  });

  it("a requested path is opened", () => {
    history.replaceState(null, "", "/signin?to=/invite/x");
    expect(pathAfterSignIn("ben", null)).toBe("/invite/x");
  });
});

describe("links in a text", () => {
  it.each([
    [`${location.origin}/c/S/C/M`, "/c/S/C/M"],
    [`${location.origin}/invite/abc`, "/invite/abc"],
    [`${location.origin}/`, "/"],
    [`${location.origin}/docs`, null],
    [`${location.origin}/v1/servers`, null],
    ["https://example.org/c/S/C", null],
    ["mailto:ana@example.org", null],
  ])("%s has the internal path %s", (href, path) => {
    expect(internalPath(href)).toBe(path);
  });
});

it("shows the limit of a file that is too large in readable units", () => {
  const problem = new Problem(413, {
    detail: "The body may have at most 26230784 bytes.",
    limit: 26_230_784,
  });
  expect(errorText(problem)).toBe("Too large: the limit is 26 MB.");
});
