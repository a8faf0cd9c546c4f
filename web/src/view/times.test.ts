// @vitest-environment node
import { describe, expect, it } from "vitest";
import { dayKey, idAt, shortTime } from "./times";

describe("times", () => {
  it("returns the smallest id of a time", () => {
    expect(idAt(new Date(0))).toBe("0".repeat(26));
    expect(idAt(new Date(1763294400000))).toMatch(/^01KA[0-9A-Z]{6}0{16}$/);
    expect(idAt(new Date(1000)) < idAt(new Date(1001))).toBe(true);
  });

  it("shows the date of a day next week", () => {
    const week = new Date(Date.now() + 7 * 86_400_000).toISOString();
    expect(shortTime(week)).toContain(String(new Date(week).getFullYear()));
  });

  it("gives two times of one local day the same key", () => {
    const noon = new Date(2026, 10, 16, 12);
    expect(dayKey(noon.toISOString())).toBe(dayKey(new Date(2026, 10, 16, 0, 1).toISOString()));
  });
});
