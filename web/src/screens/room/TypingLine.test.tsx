import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { store } from "../../store/store";
import { draw } from "../../view/testing";
import { TypingLine } from "./TypingLine";

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it("the typing mark goes five seconds after the last sign", () => {
  vi.useFakeTimers();
  const { place } = draw(<TypingLine room={{ kind: "channel", id: "C" }} />);
  const d = { roomKind: "channel" as const, roomId: "C", userId: "ben", username: "ben" };
  act(() => store.apply({ t: "typing.started", d }));
  expect(place.textContent).toBe("ben is typing");
  act(() => void vi.advanceTimersByTime(3500));
  act(() => store.apply({ t: "typing.started", d }));
  act(() => void vi.advanceTimersByTime(4000));
  expect(place.textContent).toBe("ben is typing");
  act(() => void vi.advanceTimersByTime(2000));
  expect(place.textContent).toBe("");
});

it("the typing mark goes at once when the user clears the text", () => {
  const { place } = draw(<TypingLine room={{ kind: "channel", id: "C" }} />);
  const d = { roomKind: "channel" as const, roomId: "C", userId: "ben", username: "ben" };
  act(() => store.apply({ t: "typing.started", d }));
  act(() => store.apply({ t: "typing.stopped", d }));
  expect(place.textContent).toBe("");
});
