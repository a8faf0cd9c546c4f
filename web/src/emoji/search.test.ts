// @vitest-environment node
import { describe, expect, it } from "vitest";
import { nameOf, search } from "./search";

describe("emoji by a word", () => {
  it.each([
    ["heart", "❤️"],
    ["ok", "👌"],
    ["smile", "🙂"],
    ["thumbs up", "👍"],
    ["Dizzy face", "😵"],
  ])("%s finds %s first", (word, sign) => {
    expect(search(word)[0]?.sign).toBe(sign);
  });

  it("a whole word comes before a part of one", () => {
    const signs = search("ok").map((each) => each.sign);
    expect(signs.indexOf("🙆")).toBeLessThan(signs.indexOf("😤"));
  });

  it("`smile` also finds what smiles", () => {
    expect(search("smile").length).toBeGreaterThan(5);
  });

  it("nothing is found by nonsense", () => {
    expect(search("qqqq")).toEqual([]);
  });

  it("a recent emoji has its name", () => {
    expect(nameOf("❤️")).toBe("red heart love");
  });
});
