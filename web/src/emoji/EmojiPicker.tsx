// The emoji picker: recent emoji, all groups, or search results.
import { useMemo, useState } from "react";
import { GROUPS, type Emoji } from "./list";
import { nameOf, search } from "./search";

const KEY = "sobremesa.emoji";
const KEPT = 16;

function recent(): string[] {
  try {
    return (JSON.parse(localStorage.getItem(KEY) ?? "[]") as string[]).slice(0, KEPT);
  } catch {
    return [];
  }
}

export default function EmojiPicker({ onChoose }: { onChoose: (emoji: string) => void }) {
  const [query, setQuery] = useState("");
  const groups = useMemo(() => found(query), [query]);
  const choose = (emoji: string) => {
    localStorage.setItem(
      KEY,
      JSON.stringify([emoji, ...recent().filter((each) => each !== emoji)].slice(0, KEPT)),
    );
    onChoose(emoji);
  };
  return (
    <div className="emoji-picker" onKeyDown={move}>
      <input
        className="input"
        type="search"
        placeholder="Search emoji"
        aria-label="Search emoji"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          const first = groups[0]?.emoji[0];
          if (event.key === "Enter" && first !== undefined) choose(first.sign);
        }}
      />
      <div className="emoji-groups">
        {groups.map((group) => (
          <section key={group.name} aria-label={group.name}>
            <h3>{group.name}</h3>
            <div className="emoji-grid">
              {group.emoji.map((each) => (
                <button
                  key={each.sign}
                  type="button"
                  title={each.name}
                  aria-label={each.name}
                  onClick={() => choose(each.sign)}
                >
                  {each.sign}
                </button>
              ))}
            </div>
          </section>
        ))}
        {groups.length === 0 && <p className="note">No emoji found.</p>}
      </div>
    </div>
  );
}

function found(query: string): { name: string; emoji: readonly Emoji[] }[] {
  if (query.trim() === "") {
    const emoji = recent().map((sign) => ({ sign, name: nameOf(sign) }));
    return emoji.length > 0 ? [{ name: "Recent", emoji }, ...GROUPS] : [...GROUPS];
  }
  const emoji = search(query);
  return emoji.length > 0 ? [{ name: "Results", emoji }] : [];
}

/** Arrow keys move in the grid. */
function move(event: React.KeyboardEvent<HTMLElement>): void {
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 };
  const step = steps[event.key];
  const isInField = document.activeElement instanceof HTMLInputElement;
  if (step === undefined || (isInField && event.key !== "ArrowDown")) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons[isInField ? 0 : Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus();
}
