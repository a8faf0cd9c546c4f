// The items of a workspace: as a board with a column for each status, or as a list.
import { useMemo, useState, type DragEvent } from "react";
import { changeItem, createItem } from "../../actions/workspaces";
import type { Item } from "../../api/shapes";
import { chosenStatuses, columnsOf, type WorkspaceContents } from "../../store/workspaces";
import { Icon } from "../../view/Icon";
import { MenuButton, type MenuItem } from "../../view/Menu";
import { shortTime } from "../../view/times";
import { toastError, toast } from "../../view/toasts";
import { AddLine } from "../threads/AddLine";
import { ItemDialog } from "./ItemDialog";
import { showValue } from "./values";

type View = "board" | "list";
const KEY = "sobremesa.items";
/** Shown while empty, unless the workspace chose other statuses. */
const FIRST: readonly string[] = ["open", "doing", "done"];
const DRAGGED = "application/x-sobremesa-item";

interface ItemsPartProps {
  workspaceId: string;
  items: WorkspaceContents["items"];
  settings: WorkspaceContents["settings"];
}

export function ItemsPart({ workspaceId, items, settings }: ItemsPartProps) {
  const [view, setView] = useState<View>(() => (localStorage.getItem(KEY) === "list" ? "list" : "board"));
  const [opened, setOpened] = useState<string | null>(null);
  const columns = useMemo(() => {
    const chosen = chosenStatuses(settings);
    return columnsOf(Object.values(items), chosen ?? FIRST, chosen ?? undefined);
  }, [items, settings]);
  const statuses = columns.flatMap((each) => (each.status === null ? [] : [each.status]));
  const choose = (fresh: View) => {
    localStorage.setItem(KEY, fresh);
    setView(fresh);
  };
  const item = opened === null ? undefined : items[opened];
  const shown = { columns, statuses, workspaceId, onOpen: setOpened };
  return (
    <div className="items">
      <div className="items-bar">
        <span className="note">
          {Object.keys(items).length === 1 ? "1 item" : `${Object.keys(items).length} items`}
        </span>
        <span className="spring" />
        <div className="segments" role="group" aria-label="View">
          <button type="button" aria-pressed={view === "board"} onClick={() => choose("board")}>
            <Icon name="board" size={15} /> Board
          </button>
          <button type="button" aria-pressed={view === "list"} onClick={() => choose("list")}>
            <Icon name="list" size={15} /> List
          </button>
        </div>
      </div>
      {view === "board" ? <Board {...shown} items={items} /> : <ItemList {...shown} />}
      {item !== undefined && (
        <ItemDialog key={item.itemId} item={item} statuses={statuses} onClose={() => setOpened(null)} />
      )}
    </div>
  );
}

interface Column {
  status: string | null;
  items: Item[];
}

interface Shown {
  columns: readonly Column[];
  statuses: readonly string[];
  workspaceId: string;
  onOpen: (itemId: string) => void;
}

export function move(item: Item, status: string | null): void {
  if (item.status === status) return;
  changeItem(item, { status }).then((isSaved) => {
    if (!isSaved) toast("This was just updated.");
  }, toastError);
}

function add(workspaceId: string, title: string, status: string | null): void {
  createItem(workspaceId, { title, status, data: {} }).catch(toastError);
}

function Board({ columns, statuses, workspaceId, onOpen, items }: Shown & Pick<ItemsPartProps, "items">) {
  const [over, setOver] = useState<string | null>(null);
  return (
    <div className="board" tabIndex={0} role="region" aria-label="Board">
      {columns.map(({ status, items: inside }) => {
        const name = status ?? "No status";
        const drop = (event: DragEvent) => {
          setOver(null);
          const item = items[event.dataTransfer.getData(DRAGGED)];
          if (item === undefined) return;
          event.preventDefault();
          move(item, status);
        };
        return (
          <section
            key={name}
            className={over === name ? "column column-over" : "column"}
            aria-label={`${name}, ${inside.length}`}
            onDragOver={(event) => {
              if (!event.dataTransfer.types.includes(DRAGGED)) return;
              event.preventDefault();
              setOver(name);
            }}
            onDragLeave={(event) => {
              if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(null);
            }}
            onDrop={drop}
          >
            <h3>
              {name} <span className="badge">{inside.length}</span>
            </h3>
            <ul>
              {inside.map((item) => (
                <ItemCard key={item.itemId} item={item} statuses={statuses} onOpen={onOpen} />
              ))}
            </ul>
            <AddLine label={`Add to ${name}`} onAdd={(title) => add(workspaceId, title, status)} />
          </section>
        );
      })}
    </div>
  );
}

function ItemCard({ item, statuses, onOpen }: { item: Item } & Pick<Shown, "statuses" | "onOpen">) {
  const entries = Object.entries(item.data);
  return (
    <li
      className="item-card"
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, item.itemId);
        event.dataTransfer.effectAllowed = "move";
      }}
    >
      <button type="button" className="item-title" onClick={() => onOpen(item.itemId)}>
        {item.title}
      </button>
      <MenuButton label={`Move “${item.title}”`} items={moves(item, statuses)} />
      {entries.length > 0 && (
        <dl className="item-data">
          {entries.slice(0, 3).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{showValue(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function moves(item: Item, statuses: readonly string[]): MenuItem[] {
  return statuses
    .filter((each) => each !== item.status)
    .map((status) => ({ label: `Move to ${status}`, onChoose: () => move(item, status) }));
}

function ItemList({ columns, workspaceId, onOpen }: Shown) {
  return (
    <div className="item-list">
      {columns
        .filter((each) => each.items.length > 0)
        .map(({ status, items }) => (
          <section key={status ?? ""} aria-label={`${status ?? "No status"}, ${items.length}`}>
            <h3 className="sidebar-label">
              {status ?? "No status"} ({items.length})
            </h3>
            <ul>
              {items.map((item) => (
                <li key={item.itemId}>
                  <button type="button" className="item-row" onClick={() => onOpen(item.itemId)}>
                    <span className="room-name">{item.title}</span>
                    <span className="note wide-only">
                      {Object.entries(item.data)
                        .slice(0, 2)
                        .map(([name, value]) => `${name}: ${showValue(value)}`)
                        .join(" · ")}
                    </span>
                    <time className="note">{shortTime(item.updatedAt ?? item.createdAt)}</time>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      <AddLine label="Add item" onAdd={(title) => add(workspaceId, title, "open")} />
    </div>
  );
}
