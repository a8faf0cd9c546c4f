// Values that people type: JSON where it is JSON, words otherwise; and shown so that they come back the same.

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

/** As `readValue`, where it must be JSON; the error says what is wrong. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('This is no JSON. Text stands in quotes, as in "blue".');
  }
}
