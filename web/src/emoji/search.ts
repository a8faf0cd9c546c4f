// Emoji search, ranked by how well the name matches.
import { GROUPS, type Emoji } from "./list";

const ALL: readonly Emoji[] = GROUPS.flatMap((group) => group.emoji);

/** The first result of common words that many names contain. */
const FIRST_RESULT: Readonly<Record<string, string>> = {
  heart: "❤️",
  ok: "👌",
  smile: "🙂",
  laugh: "😂",
  cry: "😢",
  kiss: "😘",
  wink: "😉",
  yes: "👍",
  no: "👎",
};

/** The form of a word that the names use. */
const FORMS: Readonly<Record<string, string>> = {
  smile: "smiling",
  cry: "crying",
  kiss: "kissing",
  wink: "winking",
};

/** How well a name matches a word: 0 is best, null is no match. Shorter names rank first. */
export function rank(name: string, word: string): number | null {
  if (name === word) return 0;
  const words = name.split(" ");
  const long = words.length / 100;
  if (words.includes(word)) return 1 + long;
  if (words.some((each) => each.startsWith(word))) return 2 + long;
  return name.includes(word) ? 3 + long : null;
}

export function search(query: string): Emoji[] {
  const word = query.trim().toLowerCase();
  const form = FORMS[word] ?? word;
  const best = (emoji: Emoji): number | null => {
    if (FIRST_RESULT[word] === emoji.sign) return 0;
    const ranks = [rank(emoji.name, word), rank(emoji.name, form)].filter((each) => each !== null);
    return ranks.length === 0 ? null : Math.min(...ranks);
  };
  return ALL.map((emoji) => ({ emoji, rank: best(emoji) }))
    .filter((each): each is { emoji: Emoji; rank: number } => each.rank !== null)
    .sort((a, b) => a.rank - b.rank)
    .map(({ emoji }) => emoji);
}

export function nameOf(sign: string): string {
  return ALL.find((each) => each.sign === sign)?.name ?? sign;
}
