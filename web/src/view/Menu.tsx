// A menu of things to do, by pointer and by arrow keys.
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
}

export function MenuButton({ label, icon = "more", items }: MenuButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  if (items.length === 0) return null;
  return (
    <>
      <IconButton
        icon={icon}
        label={label}
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

function move(event: React.KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
}
