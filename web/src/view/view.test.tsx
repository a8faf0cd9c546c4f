import { act } from "react";
import { afterEach, describe, expect, it } from "vitest";
import { DropZone } from "./DropZone";
import { placeBeside } from "./Popover";
import { draw } from "./testing";
import { SAVED, TypedText } from "./typedText";

afterEach(() => document.body.replaceChildren());

describe("files that are dragged", () => {
  const drag = (type: string, more: MouseEventInit = {}) =>
    Object.assign(new MouseEvent(type, { bubbles: true, cancelable: true, ...more }), {
      dataTransfer: { types: ["Files"], files: [] },
    });
  const opened = () => {
    const { place } = draw(
      <>
        <DropZone onFiles={() => undefined}>
          <p>one</p>
          <p>two</p>
        </DropZone>
        <aside />
      </>,
    );
    const [one, two] = place.querySelectorAll("p");
    if (one === undefined || two === undefined) throw new Error("not drawn");
    return { place, one, two };
  };

  it("the overlay goes when they leave from a child", () => {
    const { place, one } = opened();
    act(() => void one.dispatchEvent(drag("dragover")));
    expect(place.textContent).toContain("Drop files");
    act(() => void one.dispatchEvent(drag("dragleave", { relatedTarget: place.querySelector("aside") })));
    expect(place.textContent).not.toContain("Drop files");
  });

  it("the overlay goes when they leave the window, and stays between children", () => {
    const { place, one, two } = opened();
    act(() => void one.dispatchEvent(drag("dragover")));
    act(() => void one.dispatchEvent(drag("dragleave", { relatedTarget: two })));
    expect(place.textContent).toContain("Drop files");
    act(() => void two.dispatchEvent(drag("dragleave", { relatedTarget: null })));
    expect(place.textContent).not.toContain("Drop files");
  });
});

describe("text in a dialog", () => {
  const opened = () => {
    const { place } = draw(
      <form>
        <input defaultValue="before" />
        <input type="search" />
      </form>,
    );
    const [field, search] = place.querySelectorAll("input");
    if (field === undefined || search === undefined) throw new Error("not drawn");
    const typed = new TypedText();
    typed.watch(place);
    field.focus();
    search.focus();
    return { typed, field, search, form: place.querySelector("form") };
  };

  it("is unsaved once it differs, and no longer after a save", () => {
    const { typed, field, form } = opened();
    expect(typed.isUnsaved).toBe(false);
    field.value = "after";
    expect(typed.isUnsaved).toBe(true);
    form?.dispatchEvent(new Event(SAVED, { bubbles: true }));
    expect(typed.isUnsaved).toBe(false);
  });

  it("a search is nothing to keep", () => {
    const { typed, search } = opened();
    search.value = "smile";
    expect(typed.isUnsaved).toBe(false);
  });
});

describe("a layer beside its anchor", () => {
  const size = { width: 300, height: 200 };
  const viewport = { width: 1280, height: 800 };
  const at = (left: number, top: number) => new DOMRect(left, top, 30, 30);

  it("stays off the sidebar", () => {
    expect(placeBeside(at(340, 100), size, { left: 320, right: 1280 }, viewport)).toEqual({
      left: 328,
      top: 134,
    });
  });

  it("opens above where there is no room below", () => {
    expect(placeBeside(at(900, 700), size, { left: 320, right: 1280 }, viewport).top).toBe(496);
  });

  it("takes the whole screen where the part is too narrow", () => {
    const narrow = { width: 360, height: 740 };
    expect(placeBeside(at(100, 100), size, { left: 60, right: 360 }, narrow).left).toBe(8);
  });
});
