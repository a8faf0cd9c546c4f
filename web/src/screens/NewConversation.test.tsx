import { act } from "react";
import { afterEach, expect, it } from "vitest";
import { store } from "../store/store";
import { render } from "../view/testing";
import { NewConversation } from "./NewConversation";

afterEach(() => document.body.replaceChildren());

it("adds the first match on Enter", () => {
  // jsdom does not implement showModal.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  const d = { userId: "U1", username: "berta", avatarUrl: null };
  act(() => store.apply({ t: "user.updated", d } as Parameters<typeof store.apply>[0]));
  render(<NewConversation onClose={() => undefined} />);
  const field = document.querySelector<HTMLInputElement>(".add-person input");
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "be");
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });
  expect(document.querySelector("[aria-label=Matches] .person-first")?.textContent).toContain("berta");
  act(() => document.querySelector<HTMLFormElement>(".add-person")?.requestSubmit());
  expect(document.querySelector("[aria-label=With]")?.textContent).toContain("berta");
  expect(field?.value).toBe("");
});
