// A menu, by pointer and by arrow keys.
import { useState } from "react";
import { Icon, IconButton, type IconName } from "./Icon";
import { Popover } from "./Popover";

export interface MenuItem {
  label: string;
  icon?: IconName;
  danger?: boolean;
  onChoose: () => void;
}

interface MenuButtonProps {
  label: string;
  icon?: IconName;
  items: MenuItem[];
  tabIndex?: number | undefined;
}

export function MenuButton({ label, icon = "more", items, tabIndex }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  if (items.length === 0) return null;
  return (
    <>
      <IconButton
        icon={icon}
        label={label}
        tabIndex={tabIndex}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(anchor === null ? event.currentTarget : null)}
      />
      {anchor !== null && (
        <Menu label={label} anchor={anchor} items={items} onClose={() => setAnchor(null)} />
      )}
    </>
  );
}

interface MenuProps {
  label: string;
  anchor: HTMLElement;
  items: MenuItem[];
  onClose: () => void;
}

export function Menu({ label, anchor, items, onClose }: MenuProps) {
  return (
    <Popover anchor={anchor} onClose={onClose} label={label} role="menu">
      <div className="menu" role="none" onKeyDown={move}>
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            className={item.danger === true ? "danger" : ""}
            onClick={() => {
              onClose();
              anchor.focus();
              item.onChoose();
            }}
          >
            {item.icon !== undefined && <Icon name={item.icon} size={17} />}
            {item.label}
          </button>
        ))}
      </div>
    </Popover>
  );
}

/** Arrow keys, Home and End move between items; a letter moves to the next item that starts with it. */
function move(event: React.KeyboardEvent<HTMLElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = nextItem(event, at, buttons);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function nextItem(
  event: React.KeyboardEvent,
  at: number,
  buttons: readonly HTMLButtonElement[],
): HTMLButtonElement | undefined {
  switch (event.key) {
    case "ArrowDown":
      return buttons[(at + 1) % buttons.length];
    case "ArrowUp":
      return buttons.at(at - 1 < -1 ? -1 : at - 1);
    case "Home":
      return buttons[0];
    case "End":
      return buttons.at(-1);
  }
  if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return;
  const letter = event.key.toLowerCase();
  return [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)].find((each) =>
    each.textContent.trim().toLowerCase().startsWith(letter),
  );
}
