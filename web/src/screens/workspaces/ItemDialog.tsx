// An item to change. Who saves what somebody else has changed meanwhile is shown what it is now, before anything is lost.
import { useId, useState } from "react";
import { changeItem, deleteItem } from "../../actions/workspaces";
import type { Item } from "../../api/shapes";
import { Dialog } from "../../view/Dialog";
import { Form } from "../../view/Form";
import { Icon, IconButton } from "../../view/Icon";
import { PersonName } from "../../view/Person";
import { Line, TextField } from "../../view/TextField";
import { messageTime } from "../../view/times";
import { tellFailure, toast } from "../../view/toasts";
import { readValue, showValue } from "./values";

interface ItemDialogProps {
  item: Item;
  statuses: readonly string[];
  onClose: () => void;
}

interface Row {
  key: number;
  name: string;
  value: string;
}

export function ItemDialog({ item, statuses, onClose }: ItemDialogProps) {
  const [seen, setSeen] = useState(item);
  const [title, setTitle] = useState(item.title);
  const [status, setStatus] = useState(item.status ?? "");
  const [rows, setRows] = useState<readonly Row[]>(() => rowsOf(item));
  const [isLost, setLost] = useState(false);
  const listId = useId();
  const isStale = item.version !== seen.version;
  const takeTheirs = () => {
    setSeen(item);
    setTitle(item.title);
    setStatus(item.status ?? "");
    setRows(rowsOf(item));
    setLost(false);
  };
  const save = async () => {
    const data = dataOf(rows);
    if (title.trim() === "") throw new Error("It needs a title.");
    const base = isStale && isLost ? item : seen;
    const isMine = await changeItem(base, {
      title: title.trim(),
      status: status.trim() === "" ? null : status.trim(),
      data,
    });
    if (isMine) onClose();
    else setLost(true);
  };
  const remove = () => {
    onClose();
    deleteItem(item).then(() => toast("Deleted"), tellFailure);
  };
  return (
    <Dialog title="Item" onClose={onClose} wide>
      <Form
        submit={isLost ? "Save mine anyway" : "Save"}
        onSubmit={save}
        aside={
          <button type="button" className="button button-danger" onClick={remove}>
            <Icon name="trash" size={16} /> Delete
          </button>
        }
      >
        {isStale && (
          <div className="card-notice" role="status">
            <p>
              <PersonName userId={item.updatedBy} /> changed it meanwhile: <strong>{item.title}</strong>,{" "}
              {item.status ?? "no status"}.{" "}
              <button type="button" className="link" onClick={takeTheirs}>
                Take theirs
              </button>
            </p>
          </div>
        )}
        <TextField
          label="Title"
          name="title"
          rows={2}
          maxLength={500}
          required
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <Line
          label="Status"
          name="status"
          list={listId}
          maxLength={100}
          value={status}
          autoComplete="off"
          onChange={(event) => setStatus(event.target.value)}
        />
        <datalist id={listId}>
          {statuses.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        <DataRows rows={rows} onChange={setRows} />
        <p className="note">
          Made by <PersonName userId={item.createdBy} inside /> {messageTime(item.createdAt)}
          {item.updatedAt !== null && item.version > 1 && (
            <>
              , changed by <PersonName userId={item.updatedBy} inside /> {messageTime(item.updatedAt)}
            </>
          )}
        </p>
      </Form>
    </Dialog>
  );
}

function DataRows({ rows, onChange }: { rows: readonly Row[]; onChange: (rows: readonly Row[]) => void }) {
  const set = (key: number, changes: Partial<Row>) =>
    onChange(rows.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  return (
    <fieldset className="data-rows">
      <legend className="field-label">Data</legend>
      {rows.map((row) => (
        <div key={row.key} className="data-row">
          <input
            className="input"
            aria-label="Name"
            placeholder="name"
            value={row.name}
            onChange={(event) => set(row.key, { name: event.target.value })}
          />
          <input
            className="input"
            aria-label={`Value of ${row.name === "" ? "the new one" : row.name}`}
            placeholder="value"
            value={row.value}
            onChange={(event) => set(row.key, { value: event.target.value })}
          />
          <IconButton
            icon="close"
            size={15}
            label={`Remove ${row.name}`}
            onClick={() => onChange(rows.filter((each) => each.key !== row.key))}
          />
        </div>
      ))}
      <button
        type="button"
        className="button button-small file-button"
        onClick={() =>
          onChange([...rows, { key: Math.max(0, ...rows.map((each) => each.key)) + 1, name: "", value: "" }])
        }
      >
        <Icon name="plus" size={16} /> Add a field
      </button>
    </fieldset>
  );
}

function rowsOf(item: Item): Row[] {
  return Object.entries(item.data).map(([name, value], key) => ({ key, name, value: showValue(value) }));
}

function dataOf(rows: readonly Row[]): Record<string, unknown> {
  const named = rows.filter((each) => each.name.trim() !== "");
  const names = named.map((each) => each.name.trim());
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) throw new Error(`“${twice}” is there twice.`);
  return Object.fromEntries(named.map((each) => [each.name.trim(), readValue(each.value)]));
}
