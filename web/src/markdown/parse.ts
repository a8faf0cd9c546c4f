// A parser for the subset of Markdown that chats use: from text to a tree, never to HTML.

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "bold" | "italic" | "strike"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] }
  | { kind: "mention"; name: string }
  | { kind: "channel"; name: string };

export type Block =
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; children: Block[] }
  | { kind: "list"; ordered: boolean; start: number; items: Inline[][] };

const DEEPEST = 6;
const FENCE = /^```([\w+#.-]{0,20})$/;
const QUOTE = /^> ?/;
const ITEM = /^\s{0,3}(?:[-*•]|(\d{1,9})[.)])\s+/;

export function parse(text: string, depth = 0): Block[] {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  let plain: string[] = [];
  const endParagraph = () => {
    const paragraph = plain.join("\n").replace(/^\n+|\s+$/g, "");
    if (paragraph !== "") blocks.push({ kind: "paragraph", children: parseInline(paragraph) });
    plain = [];
  };
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line.trim());
    const close = fence ? lines.findIndex((each, index) => index > at && each.trim() === "```") : -1;
    if (fence && close > at) {
      endParagraph();
      blocks.push({ kind: "code", language: fence[1] ?? "", text: lines.slice(at + 1, close).join("\n") });
      at = close + 1;
    } else if (QUOTE.test(line) && depth < DEEPEST) {
      endParagraph();
      const from = at;
      while (at < lines.length && QUOTE.test(lines[at] ?? "")) at++;
      const inside = lines.slice(from, at).map((each) => each.replace(QUOTE, ""));
      blocks.push({ kind: "quote", children: parse(inside.join("\n"), depth + 1) });
    } else if (ITEM.test(line)) {
      endParagraph();
      const number = ITEM.exec(line)?.[1];
      const items: Inline[][] = [];
      for (; at < lines.length; at++) {
        const item = ITEM.exec(lines[at] ?? "");
        if (item === null || (item[1] === undefined) !== (number === undefined)) break;
        items.push(parseInline((lines[at] ?? "").slice(item[0].length)));
      }
      blocks.push({ kind: "list", ordered: number !== undefined, start: Number(number ?? 1), items });
    } else {
      plain.push(line);
      at++;
    }
  }
  endParagraph();
  return blocks;
}

const MARKS = [
  ["**", "bold"],
  ["__", "bold"],
  ["~~", "strike"],
  ["*", "italic"],
  ["_", "italic"],
] as const;
const NAMED_LINK = /\[([^\]\n]{1,300})\]\(([^\s()]{1,2000}(?:\([^\s()]*\)[^\s()]*)*)\)/y;
const BARE_LINK = /(?:https?:\/\/|mailto:)[^\s<>]{1,2000}/iy;
const MENTION = /@([\p{L}\p{N}\p{M}_.-]{2,32})/uy;
const CHANNEL = /#([\p{L}\p{N}\p{M}_-]{1,100})/uy;
const WORD = /[\p{L}\p{N}_]/u;

export function parseInline(text: string, depth = 0): Inline[] {
  const found: Inline[] = [];
  let plain = "";
  const add = (inline: Inline) => {
    if (plain !== "") found.push({ kind: "text", text: plain });
    plain = "";
    found.push(inline);
  };
  for (let at = 0; at < text.length;) {
    const escaped = text[at] === "\\" && /[\\`*_~[\]()#@>-]/.test(text[at + 1] ?? "");
    const next = escaped || depth > DEEPEST ? null : inlineAt(text, at, depth);
    if (next !== null) {
      add(next.inline);
      at = next.end;
    } else {
      plain += escaped ? (text[at + 1] ?? "") : (text[at] ?? "");
      at += escaped ? 2 : 1;
    }
  }
  if (plain !== "") found.push({ kind: "text", text: plain });
  return found;
}

interface Found {
  inline: Inline;
  end: number;
}

function inlineAt(text: string, at: number, depth: number): Found | null {
  const before = text[at - 1] ?? " ";
  switch (text[at]) {
    case "`":
      return codeAt(text, at);
    case "*":
    case "_":
    case "~":
      return markedAt(text, at, depth);
    case "[": {
      const match = matchAt(NAMED_LINK, text, at);
      const href = match === null ? null : safeHref(match[2] ?? "");
      if (match === null || href === null) return null;
      // Links do not nest.
      return {
        inline: { kind: "link", href, children: [{ kind: "text", text: match[1] ?? "" }] },
        end: at + match[0].length,
      };
    }
    case "h":
    case "H":
    case "m":
      return WORD.test(before) ? null : bareLinkAt(text, at);
    case "@": {
      const name =
        WORD.test(before) || before === "@"
          ? ""
          : (matchAt(MENTION, text, at)?.[1] ?? "").replace(/[.-]+$/, "");
      return name.length < 2 ? null : { inline: { kind: "mention", name }, end: at + 1 + name.length };
    }
    case "#": {
      const name = /[\s(]/.test(before) ? matchAt(CHANNEL, text, at)?.[1] : undefined;
      return name === undefined ? null : { inline: { kind: "channel", name }, end: at + 1 + name.length };
    }
    default:
      return null;
  }
}

function codeAt(text: string, at: number): Found | null {
  const ticks = /`+/y;
  ticks.lastIndex = at;
  const fence = ticks.exec(text)?.[0] ?? "`";
  const end = text.indexOf(fence, at + fence.length);
  if (end < 0 || end === at + fence.length) return null;
  return { inline: { kind: "code", text: text.slice(at + fence.length, end) }, end: end + fence.length };
}

function markedAt(text: string, at: number, depth: number): Found | null {
  for (const [mark, kind] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const isWordy = mark.startsWith("_"); // snake_case is not emphasis
    if (isWordy && WORD.test(text[at - 1] ?? " ")) continue;
    const from = at + mark.length;
    let end = text.indexOf(mark, from);
    while (end > 0 && isInner(text, end, mark, isWordy)) end = text.indexOf(mark, end + 1);
    const inside = text.slice(from, end);
    if (end < 0 || inside.trim() === "" || inside.startsWith(" ") || inside.endsWith(" ")) continue;
    return { inline: { kind, children: parseInline(inside, depth + 1) }, end: end + mark.length };
  }
  return null;
}

/** Whether a mark does not close here: it is half of a longer one, escaped, or within a word. */
function isInner(text: string, at: number, mark: string, isWordy: boolean): boolean {
  if (text[at - 1] === "\\") return true;
  if (mark.length === 1 && (text[at + 1] === mark || text[at - 1] === mark)) return true;
  if (mark.length === 2 && text[at + 2] === mark[0]) return true;
  return isWordy && WORD.test(text[at + mark.length] ?? " ");
}

function bareLinkAt(text: string, at: number): Found | null {
  let address = matchAt(BARE_LINK, text, at)?.[0];
  if (address === undefined) return null;
  for (;;) {
    const last = address.at(-1) ?? "";
    const isOpen = last === ")" && address.split("(").length > address.split(")").length - 1;
    if (!/[.,;:!?'"*_~)\]]/.test(last) || isOpen) break;
    address = address.slice(0, -1);
  }
  const href = safeHref(address);
  if (href === null) return null;
  return {
    inline: { kind: "link", href, children: [{ kind: "text", text: address }] },
    end: at + address.length,
  };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const SAFE = new Set(["http:", "https:", "mailto:"]);

/** The URL if its scheme is safe, else null. */
export function safeHref(text: string): string | null {
  try {
    const url = new URL(text);
    return SAFE.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The text in one line and without marks, for previews. */
export function plainText(text: string): string {
  return parse(text).map(wordsOf).join(" ").replace(/\s+/g, " ").trim();
}

function wordsOf(node: Block | Inline): string {
  switch (node.kind) {
    case "text":
    case "code":
      return node.text;
    case "mention":
      return `@${node.name}`;
    case "channel":
      return `#${node.name}`;
    case "list":
      return node.items.map((item) => item.map(wordsOf).join("")).join(", ");
    default:
      return node.children.map(wordsOf).join("");
  }
}

/** Whether a text consists of a few emoji only, which are shown large. */
export function isOnlyEmoji(text: string): boolean {
  if (text.length > 40 || /[\d#*]/.test(text) || !/\p{Extended_Pictographic}/u.test(text)) return false;
  return /^(?:\p{Extended_Pictographic}|\p{Emoji_Component}|\s)+$/u.test(text);
}
