// @vitest-environment node
import { describe, expect, it } from "vitest";
import { readJson, readValue, showValue } from "./values";

describe("typed values", () => {
  it("read back as the value that was shown", () => {
    for (const value of [
      "two",
      "2",
      2,
      "",
      "true",
      true,
      null,
      "null",
      { a: [1] },
      [],
      " spaces ",
      '"quoted"',
      "a\nb",
      "<img src=x>",
    ])
      expect(readValue(showValue(value))).toEqual(value);
  });

  it("are text unless they are JSON", () => {
    expect(readValue("blue")).toBe("blue");
    expect(readValue(" 12 ")).toBe(12);
    expect(showValue("2")).toBe('"2"');
    expect(showValue("blue")).toBe("blue");
  });

  it("are refused by readJson if they are not JSON", () => {
    expect(readJson('{"a":1}')).toEqual({ a: 1 });
    expect(() => readJson("blue")).toThrow("Not valid JSON");
  });
});
