// @vitest-environment node
import { describe, expect, it } from "vitest";
import { nameOf, search } from "./search";

describe("emoji search", () => {
  it.each([
    ["heart", "❤️"],
    ["ok", "👌"],
    ["smile", "🙂"],
    ["thumbs up", "👍"],
    ["Dizzy face", "😵"],
  ])("%s finds %s first", (word, sign) => {
    expect(search(word)[0]?.sign).toBe(sign);
  });

  it("ranks a whole word before a part of one", () => {
    const signs = search("ok").map((each) => each.sign);
    expect(signs.indexOf("🙆")).toBeLessThan(signs.indexOf("😤"));
  });

  it("finds smiling faces for `smile`", () => {
    expect(search("smile").length).toBeGreaterThan(5);
  });

  it("finds nothing for nonsense", () => {
    expect(search("qqqq")).toEqual([]);
  });

  it("names a recent emoji", () => {
    expect(nameOf("❤️")).toBe("red heart love");
  });
});
