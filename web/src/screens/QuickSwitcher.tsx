// Quick switcher (Ctrl-K): jump to a room, a community or a user by a few letters.
import { useEffect, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { loadMissingMembers } from "../actions/communities";
import { startConversation } from "../actions/conversations";
import { store, useStore } from "../store/store";
import { Dialog } from "../view/Dialog";
import { Icon } from "../view/Icon";
import { toastError } from "../view/toasts";
import { destinations, found, keyOf, type Destination } from "./destinations";

const SHOWN = 9;
const LABEL = "Search channels, people and communities";

export function QuickSwitcher({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const [, navigate] = useLocation();
  const listId = useId();
  const people = useStore((state) => state.people);
  // Computed again only when users load, so that a new message does not reorder the list under the pointer.
  const all = useMemo(() => destinations({ ...store.get(), people }), [people]);
  const shown = useMemo(() => found(all, query, SHOWN), [all, query]);
  useEffect(() => {
    void loadMissingMembers().catch(() => undefined);
  }, []);
  const go = ({ to }: Destination) => {
    onClose();
    if ("path" in to) navigate(to.path);
    else startConversation([to.userId], null).then((id) => navigate(`/d/${id}`), toastError);
  };
  return (
    <Dialog title="Jump to" onClose={onClose} keepsText={false}>
      <input
        className="input"
        autoFocus
        placeholder={LABEL}
        aria-label={LABEL}
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={shown.length > 0 ? `${listId}-${chosen}` : undefined}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          const destination = shown[chosen];
          if (step !== 0 && shown.length > 0) {
            event.preventDefault();
            setChosen((chosen + step + shown.length) % shown.length);
          } else if (event.key === "Enter" && destination !== undefined) go(destination);
        }}
      />
      <ul className="switcher" role="listbox" id={listId} aria-label="Results">
        {shown.map((each, index) => (
          <li
            key={keyOf(each)}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onClick={() => go(each)}
            onPointerMove={() => setChosen(index)}
          >
            <Icon name={each.icon} size={17} />
            <span className="room-name">{each.name}</span>
            {each.isUnread && <span className="unread-dot" />}
            <span className="note">{each.where}</span>
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className="note">No results.</p>}
    </Dialog>
  );
}
