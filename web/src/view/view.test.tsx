import { act } from "react";
import { afterEach, describe, expect, it } from "vitest";
import { DropZone } from "./DropZone";
import { placeBeside } from "./Popover";
import { render } from "./testing";
import { SAVED, TypedText } from "./typedText";

afterEach(() => document.body.replaceChildren());

describe("the drop zone", () => {
  const drag = (type: string, more: MouseEventInit = {}) =>
    Object.assign(new MouseEvent(type, { bubbles: true, cancelable: true, ...more }), {
      dataTransfer: { types: ["Files"], files: [] },
    });
  const opened = () => {
    const { container } = render(
      <>
        <DropZone onFiles={() => undefined}>
          <p>one</p>
          <p>two</p>
        </DropZone>
        <aside />
      </>,
    );
    const [one, two] = container.querySelectorAll("p");
    if (one === undefined || two === undefined) throw new Error("not rendered");
    return { container, one, two };
  };

  it("hides the overlay when the drag leaves from a child", () => {
    const { container, one } = opened();
    act(() => void one.dispatchEvent(drag("dragover")));
    expect(container.textContent).toContain("Drop files");
    act(() => void one.dispatchEvent(drag("dragleave", { relatedTarget: container.querySelector("aside") })));
    expect(container.textContent).not.toContain("Drop files");
  });

  it("hides the overlay when the drag leaves the window, but not between children", () => {
    const { container, one, two } = opened();
    act(() => void one.dispatchEvent(drag("dragover")));
    act(() => void one.dispatchEvent(drag("dragleave", { relatedTarget: two })));
    expect(container.textContent).toContain("Drop files");
    act(() => void two.dispatchEvent(drag("dragleave", { relatedTarget: null })));
    expect(container.textContent).not.toContain("Drop files");
  });
});

describe("typed text", () => {
  const opened = () => {
    const { container } = render(
      <form>
        <input defaultValue="before" />
        <input type="search" />
      </form>,
    );
    const [field, search] = container.querySelectorAll("input");
    if (field === undefined || search === undefined) throw new Error("not rendered");
    const typed = new TypedText();
    typed.watch(container);
    field.focus();
    search.focus();
    return { typed, field, search, form: container.querySelector("form") };
  };

  it("is unsaved once it differs, and no longer after a save", () => {
    const { typed, field, form } = opened();
    expect(typed.isUnsaved).toBe(false);
    field.value = "after";
    expect(typed.isUnsaved).toBe(true);
    form?.dispatchEvent(new Event(SAVED, { bubbles: true }));
    expect(typed.isUnsaved).toBe(false);
  });

  it("does not include search fields", () => {
    const { typed, search } = opened();
    search.value = "smile";
    expect(typed.isUnsaved).toBe(false);
  });
});

describe("the position of a popover", () => {
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

  it("uses the whole screen where the bounds are too narrow", () => {
    const narrow = { width: 360, height: 740 };
    expect(placeBeside(at(100, 100), size, { left: 60, right: 360 }, narrow).left).toBe(8);
  });
});
