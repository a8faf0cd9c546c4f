// @vitest-environment node
import { describe, expect, it } from "vitest";
import { encode } from "./encode";

const drawing = (text: string) => encode(text).map((row) => row.map((dark) => (dark ? "#" : ".")).join(""));

describe("a QR code", () => {
  it("is as large as its text needs", () => {
    expect(encode("short")).toHaveLength(21);
    expect(encode("https://chat.example.org/invite/abcdefghijkl")).toHaveLength(33);
    expect(encode("x".repeat(180))).toHaveLength(53);
    expect(() => encode("x".repeat(181))).toThrow(RangeError);
  });

  it("has its three corners and its timing", () => {
    const rows = drawing("https://chat.example.org/invite/abc");
    for (const row of [rows[0], rows[6]]) expect(row).toMatch(/^#######\..*\.#######$/);
    expect(rows.at(-1)).toMatch(/^#######\./);
    expect(rows[6]?.slice(8, -8)).toMatch(/^(#\.)+#$/);
  });
});
