// Unsaved text: the fields of an element that differ from their value at first focus.

/** Dispatched by a form after a successful submit. */
export const SAVED = "sobremesa:saved";

type Field = HTMLInputElement | HTMLTextAreaElement;

const IGNORED = new Set(["checkbox", "radio", "file", "search", "button", "submit", "range", "color"]);

function isField(target: EventTarget | null): target is Field {
  if (target instanceof HTMLTextAreaElement) return !target.readOnly;
  return target instanceof HTMLInputElement && !target.readOnly && !IGNORED.has(target.type);
}

export class TypedText {
  private readonly before = new Map<Field, string>();

  get isUnsaved(): boolean {
    for (const [field, value] of this.before)
      if (field.isConnected && field.value !== value && field.value.trim() !== "") return true;
    return false;
  }

  /** Track the fields of an element; returns a function that stops it. */
  watch(element: HTMLElement): () => void {
    const entered = ({ target }: Event) => {
      if (isField(target) && !this.before.has(target)) this.before.set(target, target.value);
    };
    const saved = ({ target }: Event) => {
      for (const field of this.before.keys())
        if (target instanceof Node && target.contains(field)) this.before.set(field, field.value);
    };
    element.addEventListener("focusin", entered);
    element.addEventListener(SAVED, saved);
    return () => {
      element.removeEventListener("focusin", entered);
      element.removeEventListener(SAVED, saved);
    };
  }
}
