import { expect, test } from "vitest";
import { secondaryName, shownName } from "./names";

test("a user is shown by the display name, with the username as secondary text", () => {
  const ana = { username: "ana", displayName: "Ana María" };
  expect([shownName(ana), secondaryName(ana)]).toEqual(["Ana María", "@ana"]);
  for (const bea of [{ username: "bea" }, { username: "bea", displayName: null }])
    expect([shownName(bea), secondaryName(bea)]).toEqual(["bea", undefined]);
});
