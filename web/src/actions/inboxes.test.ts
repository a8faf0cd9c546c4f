import { describe, expect, it } from "vitest";
import { snoozeChoices, webAddress } from "./inboxes";

describe("the link of a notification", () => {
  it("accepts only http and https", () => {
    expect(webAddress("https://example.org/a?b=c")).toBe("https://example.org/a?b=c");
    expect(webAddress("http://example.org")).toBe("http://example.org/");
    for (const bad of [
      "javascript:alert(1)",
      " javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "/relative",
      "vbscript:x",
      "",
      "app://open",
    ])
      expect(webAddress(bad)).toBeNull();
    expect(webAddress(null)).toBeNull();
  });
});

describe("snoozing", () => {
  it("offers only times in the future", () => {
    for (const day of [15, 16, 17, 18, 19, 20, 21])
      for (const hour of [0, 8, 16, 17, 18, 23]) {
        const now = new Date(2026, 10, day, hour, 30);
        for (const { until } of snoozeChoices(now)) expect(until.getTime()).toBeGreaterThan(now.getTime());
      }
  });

  it("ends on a Monday morning", () => {
    const monday = snoozeChoices(new Date(2026, 10, 16, 9)).find(
      (each) => each.label === "Until Monday",
    )?.until;
    expect([monday?.getDay(), monday?.getDate(), monday?.getHours()]).toEqual([1, 23, 9]);
  });
});
