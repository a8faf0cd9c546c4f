import { expect, it } from "vitest";
import { accessFrom, isChanged, roleField, userField } from "./access";

const access = { channelId: "C", private: true, roles: ["moderator" as const], userIds: ["U1", "U2"] };

it("is public without the first checkbox, whatever else is checked", () => {
  expect(accessFrom({ [roleField("member")]: "on", [userField("U1")]: "on" })).toBe(null);
});

it("has the roles and people that are checked", () => {
  const values = { private: "on", name: "x", [roleField("moderator")]: "on", [userField("U1")]: "on" };
  expect(accessFrom(values)).toEqual({ roles: ["moderator"], userIds: ["U1"] });
  expect(accessFrom({ private: "on" })).toEqual({ roles: [], userIds: [] });
});

it("is changed by another choice, not by another order", () => {
  expect(isChanged(access, { roles: ["moderator"], userIds: ["U2", "U1"] })).toBe(false);
  expect(isChanged(access, { roles: ["member"], userIds: ["U1", "U2"] })).toBe(true);
  expect(isChanged(access, { roles: ["moderator"], userIds: ["U1"] })).toBe(true);
  expect(isChanged(access, null)).toBe(true);
  expect(isChanged({ ...access, private: false, roles: [], userIds: [] }, null)).toBe(false);
  expect(isChanged({ ...access, private: false, roles: [], userIds: [] }, { roles: [], userIds: [] })).toBe(
    true,
  );
});
