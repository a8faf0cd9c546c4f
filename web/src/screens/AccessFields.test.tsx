import { act } from "react";
import { expect, it } from "vitest";
import type { Member } from "../api/shapes";
import { store } from "../store/store";
import { render } from "../view/testing";
import { AccessFields } from "./AccessFields";

it("lists people by the names that they are shown by", () => {
  const member = { role: "member", joinedAt: "2026-01-01T00:00:00Z", avatarUrl: null };
  const members = [
    { ...member, userId: "U1", username: "aaron", displayName: "Zoe Haddad" },
    { ...member, userId: "U2", username: "berta", displayName: null },
  ] as unknown as Member[];
  act(() => store.apply({ t: "own.members", d: { serverId: "S1", members } }));
  render(<AccessFields serverId="S1" access={{ roles: [], userIds: ["U1"] }} />);
  const rows = [...document.querySelectorAll<HTMLElement>(".access-list label")].slice(-2);
  expect(rows.map((each) => each.textContent.trim())).toEqual(["berta", "Zoe Haddad @aaron"]);
  expect(rows.map((each) => each.querySelector("input")?.checked)).toEqual([false, true]);
});
