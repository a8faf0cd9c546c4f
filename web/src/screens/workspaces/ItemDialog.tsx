// Edit an item. After a conflict the current version is shown before the user overwrites it.
import { useId, useState } from "react";
import { changeItem, deleteItem } from "../../actions/workspaces";
import type { Item } from "../../api/shapes";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { Icon, IconButton } from "../../view/Icon";
import { PersonName } from "../../view/Person";
import { messageTime } from "../../view/times";
import { toastError, toast } from "../../view/toasts";
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
  const [hasConflict, setConflict] = useState(false);
  const listId = useId();
  const isStale = item.version !== seen.version;
  const takeTheirs = () => {
    setSeen(item);
    setTitle(item.title);
    setStatus(item.status ?? "");
    setRows(rowsOf(item));
    setConflict(false);
  };
  const save = async () => {
    const data = dataOf(rows);
    if (title.trim() === "") throw new Error("Enter a title.");
    const base = isStale && hasConflict ? item : seen;
    const isSaved = await changeItem(base, {
      title: title.trim(),
      status: status.trim() === "" ? null : status.trim(),
      data,
    });
    if (isSaved) onClose();
    else setConflict(true);
  };
  const remove = () => {
    onClose();
    deleteItem(item).then(() => toast("Deleted"), toastError);
  };
  return (
    <Dialog title="Item" onClose={onClose} wide>
      <Form
        submit={hasConflict ? "Save anyway" : "Save"}
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
              <PersonName userId={item.updatedBy} /> just updated this: <strong>{item.title}</strong>,{" "}
              {item.status ?? "no status"}.{" "}
              <button type="button" className="link" onClick={takeTheirs}>
                Use theirs
              </button>
            </p>
          </div>
        )}
        <Field
          as="textarea"
          label="Title"
          name="title"
          rows={2}
          maxLength={500}
          required
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <Field
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
          Created by <PersonName userId={item.createdBy} inside /> {messageTime(item.createdAt)}
          {item.updatedAt !== null && item.version > 1 && (
            <>
              , updated by <PersonName userId={item.updatedBy} inside /> {messageTime(item.updatedAt)}
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
      <legend className="field-label">Fields</legend>
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
            aria-label={`Value of ${row.name === "" ? "the new field" : row.name}`}
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
        <Icon name="plus" size={16} /> Add field
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
  if (twice !== undefined) throw new Error(`“${twice}” is used twice.`);
  return Object.fromEntries(named.map((each) => [each.name.trim(), readValue(each.value)]));
}
