import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { store } from "../../store/store";
import { render } from "../../view/testing";
import { TypingLine } from "./TypingLine";

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it("hides the typing line five seconds after the last event", () => {
  vi.useFakeTimers();
  const { container } = render(<TypingLine room={{ kind: "channel", id: "C" }} />);
  const d = { roomKind: "channel" as const, roomId: "C", userId: "ben", username: "ben", displayName: null };
  act(() => store.apply({ t: "typing.started", d }));
  expect(container.textContent).toBe("ben is typing");
  act(() => void vi.advanceTimersByTime(3500));
  act(() => store.apply({ t: "typing.started", d }));
  act(() => void vi.advanceTimersByTime(4000));
  expect(container.textContent).toBe("ben is typing");
  act(() => void vi.advanceTimersByTime(2000));
  expect(container.textContent).toBe("");
});

it("hides the typing line at once when the user clears the text", () => {
  const { container } = render(<TypingLine room={{ kind: "channel", id: "C" }} />);
  const d = { roomKind: "channel" as const, roomId: "C", userId: "ben", username: "ben", displayName: null };
  act(() => store.apply({ t: "typing.started", d }));
  act(() => store.apply({ t: "typing.stopped", d }));
  expect(container.textContent).toBe("");
});
