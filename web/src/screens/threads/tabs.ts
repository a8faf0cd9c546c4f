// The content of the tabs. Other programs write them, too: unknown fields are kept.
import type { Attachment, JsonObject } from "../../api/shapes";

export interface Shot {
  title: string;
  done: boolean;
}

export interface Mood {
  text: string;
  fileId: string | null;
}

function objectOf(content: unknown): JsonObject {
  return typeof content === "object" && content !== null && !Array.isArray(content)
    ? (content as JsonObject)
    : {};
}

/** The entries of a tab that is a list, or that has a list in this field. */
function entriesOf(content: unknown, name: string): JsonObject[] {
  const list = Array.isArray(content) ? (content as unknown[]) : objectOf(content)[name];
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).map((each) => (typeof each === "string" ? { title: each } : objectOf(each)));
}

/** The content with this list replaced, and all other fields kept. */
function withEntries(content: unknown, name: string, entries: readonly JsonObject[]): object {
  return Array.isArray(content) ? [...entries] : { ...objectOf(content), [name]: entries };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export const briefOf = (content: unknown): string => text(objectOf(content)["text"]);

export function withBrief(content: unknown, brief: string): object {
  return { ...objectOf(content), text: brief };
}

/** Whether a tab has a format that this client does not know. */
export function isUnknownFormat(content: unknown, known: string): boolean {
  if (content === null || content === undefined) return false;
  if (Array.isArray(content)) return known === "text";
  const names = Object.keys(objectOf(content));
  return (
    names.length > 0 &&
    (!names.includes(known) || (known !== "text" && !Array.isArray(objectOf(content)[known])))
  );
}

export const shotsOf = (content: unknown): Shot[] =>
  entriesOf(content, "shots").map((each) => ({ title: text(each["title"]), done: each["done"] === true }));

export function addShot(content: unknown, title: string): object {
  return withEntries(content, "shots", [...entriesOf(content, "shots"), { title, done: false }]);
}

/** Change an entry only if it is still the one that was shown at this index. */
export function setShot(content: unknown, at: number, title: string, done: boolean): object {
  return withEntries(
    content,
    "shots",
    entriesOf(content, "shots").map((each, index) =>
      index === at && text(each["title"]) === title ? { ...each, done } : each,
    ),
  );
}

export function removeShot(content: unknown, at: number, title: string): object {
  return withEntries(
    content,
    "shots",
    entriesOf(content, "shots").filter((each, index) => index !== at || text(each["title"]) !== title),
  );
}

export const moodsOf = (content: unknown): Mood[] =>
  entriesOf(content, "entries").map((each) => ({
    text: text(each["text"] ?? each["title"]),
    fileId: typeof each["fileId"] === "string" ? each["fileId"] : null,
  }));

export function addMoods(content: unknown, moods: readonly Mood[]): object {
  const fresh = moods.map(({ text: label, fileId }) =>
    fileId === null ? { text: label } : { text: label, fileId },
  );
  return withEntries(content, "entries", [...entriesOf(content, "entries"), ...fresh]);
}

export function removeMood(content: unknown, at: number, seen: Mood): object {
  const isSeen = (each: JsonObject): boolean =>
    seen.fileId === null ? text(each["text"] ?? each["title"]) === seen.text : each["fileId"] === seen.fileId;
  return withEntries(
    content,
    "entries",
    entriesOf(content, "entries").filter((each, index) => index !== at || !isSeen(each)),
  );
}

export function filesOf(content: unknown): Attachment[] {
  return entriesOf(content, "files").flatMap((each) => {
    const { fileId, name, mime, size, kind } = each;
    if (typeof fileId !== "string") return [];
    return [
      {
        fileId,
        kind: text(kind) || "manifest",
        name: text(name) || "file",
        mime: text(mime),
        size: typeof size === "number" ? size : 0,
      },
    ];
  });
}

export function addFiles(content: unknown, files: readonly Attachment[]): object {
  const fresh = files.map(({ fileId, kind, name, mime, size }) => ({ fileId, kind, name, mime, size }));
  return withEntries(content, "files", [...entriesOf(content, "files"), ...fresh]);
}

export function removeFile(content: unknown, fileId: string): object {
  return withEntries(
    content,
    "files",
    entriesOf(content, "files").filter((each) => each["fileId"] !== fileId),
  );
}

/** The records that the server wrote to this field; none if it has another format. */
export function recordsOf<T>(content: unknown, name: string): T[] {
  return entriesOf(content, name) as T[];
}
