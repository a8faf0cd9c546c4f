// @vitest-environment node
import { describe, expect, it } from "vitest";
import {
  addFiles,
  addShot,
  briefOf,
  filesOf,
  isUnknownFormat,
  moodsOf,
  removeMood,
  removeShot,
  setShot,
  shotsOf,
  withBrief,
} from "./tabs";

describe("tabs", () => {
  it("are empty at first", () => {
    expect([briefOf(null), shotsOf(null), moodsOf(undefined), filesOf(null)]).toEqual(["", [], [], []]);
    expect(isUnknownFormat(null, "shots")).toBe(false);
  });

  it("keep the fields of other programs", () => {
    expect(withBrief({ text: "old", budget: 5 }, "new")).toEqual({ text: "new", budget: 5 });
    expect(addShot({ shots: [{ title: "a", lens: "50mm" }], by: "bo" }, "b")).toEqual({
      shots: [
        { title: "a", lens: "50mm" },
        { title: "b", done: false },
      ],
      by: "bo",
    });
    expect(addShot(["a"], "b")).toEqual([{ title: "a" }, { title: "b", done: false }]);
  });

  it("report an unknown format", () => {
    expect(isUnknownFormat({ what: "cake" }, "text")).toBe(true);
    expect(isUnknownFormat({ shots: 2 }, "shots")).toBe(true);
    expect(isUnknownFormat({ shots: [] }, "shots")).toBe(false);
    expect(isUnknownFormat([1e100, 2], "text")).toBe(true);
  });

  it("change an entry only if it is the one that was shown", () => {
    const content = { shots: [{ title: "a" }, { title: "b" }] };
    expect(shotsOf(setShot(content, 1, "b", true))).toEqual([
      { title: "a", done: false },
      { title: "b", done: true },
    ]);
    expect(shotsOf(setShot(content, 1, "c", true)).some((each) => each.done)).toBe(false);
    expect(shotsOf(removeShot(content, 0, "b"))).toHaveLength(2);
    expect(shotsOf(removeShot(content, 0, "a"))).toEqual([{ title: "b", done: false }]);
    expect(removeMood({ entries: [{ text: "x" }] }, 0, { text: "y", fileId: null })).toEqual({
      entries: [{ text: "x" }],
    });
  });

  it("leave out files without an id", () => {
    const file = { fileId: "f", kind: "image", name: "a.png", mime: "image/png", size: 3 };
    expect(filesOf(addFiles({ files: [{ name: "lost" }, 7] }, [file]))).toEqual([file]);
  });
});
