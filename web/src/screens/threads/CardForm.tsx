// A card to make, or what one holds from now on: its fields, checked before they are sent.
import { useState } from "react";
import { createCard, moveCard } from "../../actions/threads";
import { shareFiles } from "../../actions/sharing";
import type { Card } from "../../api/shapes";
import { checkCard, localMoment } from "../../cards/form";
import { CURRENCIES, digitsOf } from "../../cards/money";
import { cardType, type CardField } from "../../cards/types";
import { Dialog } from "../../view/Dialog";
import { Form } from "../../view/Form";
import { Line, Select, TextField } from "../../view/TextField";
import { FilePicker } from "./FilePicker";
import { useUploads } from "../room/uploads";

interface CardFormProps {
  threadId: string;
  type: string;
  /** The offer that this one answers. */
  answers?: Card;
  /** The card that gets a new payload, and where it goes with it. */
  renews?: Card;
  to?: string;
  onClose: () => void;
  onLost?: () => void;
}

export function CardForm({ threadId, type: name, answers, renews, to, onClose, onLost }: CardFormProps) {
  const type = cardType(name);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const uploads = useUploads();
  if (type === undefined) return null;
  const before = (renews ?? answers)?.payload ?? {};
  const submit = async (values: Record<string, string>) => {
    const kept = Array.isArray(renews?.payload["files"]) ? (renews.payload["files"] as string[]) : [];
    const fresh = uploads.uploads.flatMap((each) => (each.done === null ? [] : [each.done]));
    const files = [...kept, ...fresh.map((each) => each.fileId)];
    const checked = checkCard(type, { ...values, answers: answers?.messageId ?? "" }, files, Date.now());
    setErrors("errors" in checked ? checked.errors : {});
    if ("errors" in checked) throw new Error("Something is missing or not right above.");
    if (uploads.uploads.some((each) => each.done === null && each.error === null))
      throw new Error("A file is still going up.");
    // A file is for the others only once a message has it.
    if (fresh.length > 0) await shareFiles(threadId, fresh);
    if (renews === undefined || to === undefined) await createCard(threadId, type.name, checked.payload);
    else if (!(await moveCard(renews, to, checked.payload))) onLost?.();
    onClose();
  };
  return (
    <Dialog title={renews === undefined ? type.title : `${type.title}, again`} onClose={onClose}>
      <Form
        submit={renews === undefined ? `Send the ${type.title.toLowerCase()}` : "Submit again"}
        onSubmit={submit}
      >
        <p className="note">{type.says}.</p>
        {type.fields.map((field, index) => (
          <CardInput
            key={field.name}
            field={field}
            before={before}
            error={errors[field.name]}
            isFirst={index === 0}
            files={uploads}
          />
        ))}
      </Form>
    </Dialog>
  );
}

interface CardInputProps {
  field: CardField;
  before: Readonly<Record<string, unknown>>;
  error: string | undefined;
  isFirst: boolean;
  files: ReturnType<typeof useUploads>;
}

function CardInput({ field, before, error, isFirst, files }: CardInputProps) {
  const label = field.needed || field.kind === "files" ? field.label : `${field.label} (optional)`;
  const old = before[field.name];
  const text = typeof old === "string" ? old : "";
  switch (field.kind) {
    case "money":
      return <Money label={label} before={before} error={error} isFirst={isFirst} />;
    case "moment":
      return (
        <Line
          label={label}
          name={field.name}
          type="datetime-local"
          required={field.needed}
          defaultValue={field.name === "expiresAt" || text === "" ? "" : localMoment(text)}
          error={error}
        />
      );
    case "text":
      return (
        <TextField
          label={label}
          name={field.name}
          rows={3}
          maxLength={field.longest}
          defaultValue={field.name === "note" ? "" : text}
          error={error}
        />
      );
    case "line":
      return (
        <Line
          label={label}
          name={field.name}
          maxLength={field.longest}
          required={field.needed}
          defaultValue={text}
          autoFocus={isFirst}
          error={error}
          autoComplete="off"
        />
      );
    case "files":
      return <FilePicker label={label} files={files} />;
    case "card":
      return null; // named by the button that opened the form
  }
}

function Money({
  label,
  before,
  error,
  isFirst,
}: Omit<CardInputProps, "field" | "files"> & { label: string }) {
  const { amount, currency } = before;
  const known = typeof currency === "string" ? currency : "EUR";
  const digits = digitsOf(known);
  const shown = typeof amount === "number" ? (amount / 10 ** digits).toFixed(digits) : "";
  return (
    <div className="money-fields">
      <Line
        label={label}
        name="amount"
        inputMode="decimal"
        required
        autoFocus={isFirst}
        defaultValue={shown}
        autoComplete="off"
        placeholder="250.00"
        error={error}
      />
      <Select label="Currency" name="currency" defaultValue={known}>
        {[...new Set([known, ...CURRENCIES])].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Select>
    </div>
  );
}
