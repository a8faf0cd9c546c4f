// @vitest-environment node
import { describe, expect, it } from "vitest";
import { readJson, readValue, showValue } from "./values";

describe("values that people type", () => {
  it("come back the same as they are shown", () => {
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

  it("are words unless they are JSON", () => {
    expect(readValue("blue")).toBe("blue");
    expect(readValue(" 12 ")).toBe(12);
    expect(showValue("2")).toBe('"2"');
    expect(showValue("blue")).toBe("blue");
  });

  it("must be JSON where only JSON will do", () => {
    expect(readJson('{"a":1}')).toEqual({ a: 1 });
    expect(() => readJson("blue")).toThrow("no JSON");
  });
});
