// Values that users type: JSON if they parse as JSON, text otherwise. `showValue` is the inverse of `readValue`.

/** “2” is a number, “two” is a text, “"2"” is a text as well. */
export function readValue(text: string): unknown {
  const trimmed = text.trim();
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return trimmed;
  }
}

export function showValue(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return Object.is(readValue(value), value) ? value : JSON.stringify(value);
}

/** Like `readValue`, but throws an error to show in a form if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('Not valid JSON. Put text in quotes, as in "blue".');
  }
}
