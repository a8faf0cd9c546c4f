// A button that opens the emoji picker, which loads on first use.
import { lazy, Suspense, useState } from "react";
import { Icon } from "../view/Icon";
import { Popover } from "../view/Popover";

const EmojiPicker = lazy(() => import("./EmojiPicker"));

interface EmojiButtonProps {
  label: string;
  className: string;
  tabIndex?: number | undefined;
  onChoose: (emoji: string) => void;
}

export function EmojiButton({ label, className, tabIndex, onChoose }: EmojiButtonProps) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const close = () => setAnchor(null);
  return (
    <>
      <button
        type="button"
        className={className}
        tabIndex={tabIndex}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(anchor === null ? event.currentTarget : null)}
      >
        <Icon name="smile" />
      </button>
      {anchor !== null && (
        <Suspense>
          <Popover anchor={anchor} onClose={close} label="Emoji">
            <EmojiPicker
              onChoose={(emoji) => {
                close();
                anchor.focus();
                onChoose(emoji);
              }}
            />
          </Popover>
        </Suspense>
      )}
    </>
  );
}
