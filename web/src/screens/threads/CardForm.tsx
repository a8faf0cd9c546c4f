// The form of an action card: create one, or resubmit one with a new payload.
import { useState } from "react";
import { createCard, moveCard } from "../../actions/threads";
import { shareFiles } from "../../actions/sharing";
import type { Card } from "../../api/shapes";
import { checkCard, localMoment } from "../../cards/form";
import { CURRENCIES, digitsOf } from "../../cards/money";
import { cardType, type CardField } from "../../cards/types";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { FilePicker } from "./FilePicker";
import { useUploads } from "../room/uploads";

interface CardFormProps {
  threadId: string;
  type: string;
  /** The offer that a counter-offer replies to. */
  answers?: Card;
  /** The card to resubmit, and its next state. */
  resubmits?: Card;
  to?: string;
  onClose: () => void;
  onConflict?: () => void;
}

export function CardForm({
  threadId,
  type: name,
  answers,
  resubmits,
  to,
  onClose,
  onConflict,
}: CardFormProps) {
  const type = cardType(name);
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const uploads = useUploads();
  if (type === undefined) return null;
  const before = (resubmits ?? answers)?.payload ?? {};
  const submit = async (values: Record<string, string>) => {
    const kept = Array.isArray(resubmits?.payload["files"]) ? (resubmits.payload["files"] as string[]) : [];
    const fresh = uploads.uploads.flatMap((each) => (each.done === null ? [] : [each.done]));
    const files = [...kept, ...fresh.map((each) => each.fileId)];
    const checked = checkCard(type, { ...values, answers: answers?.messageId ?? "" }, files, Date.now());
    setErrors("errors" in checked ? checked.errors : {});
    if ("errors" in checked) throw new Error("Check the fields above.");
    if (uploads.uploads.some((each) => each.done === null && each.error === null))
      throw new Error("Wait for the uploads to finish.");
    // Other participants can read a file only once a message has it.
    if (fresh.length > 0) await shareFiles(threadId, fresh);
    if (resubmits === undefined || to === undefined) await createCard(threadId, type.name, checked.payload);
    else if (!(await moveCard(resubmits, to, checked.payload))) onConflict?.();
    onClose();
  };
  return (
    <Dialog
      title={resubmits === undefined ? type.title : `Resubmit ${type.title.toLowerCase()}`}
      onClose={onClose}
    >
      <Form
        submit={resubmits === undefined ? `Send ${type.title.toLowerCase()}` : "Resubmit"}
        onSubmit={submit}
      >
        <p className="note">{type.description}.</p>
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
  const label = field.required || field.kind === "files" ? field.label : `${field.label} (optional)`;
  const old = before[field.name];
  const text = typeof old === "string" ? old : "";
  switch (field.kind) {
    case "money":
      return <Money label={label} before={before} error={error} isFirst={isFirst} />;
    case "moment":
      return (
        <Field
          label={label}
          name={field.name}
          type="datetime-local"
          required={field.required}
          defaultValue={field.name === "expiresAt" || text === "" ? "" : localMoment(text)}
          error={error}
        />
      );
    case "text":
      return (
        <Field
          as="textarea"
          label={label}
          name={field.name}
          rows={3}
          maxLength={field.maxLength}
          defaultValue={field.name === "note" ? "" : text}
          error={error}
        />
      );
    case "line":
      return (
        <Field
          label={label}
          name={field.name}
          maxLength={field.maxLength}
          required={field.required}
          defaultValue={text}
          autoFocus={isFirst}
          error={error}
          autoComplete="off"
        />
      );
    case "files":
      return <FilePicker label={label} files={files} />;
    case "card":
      return null; // set by the button that opened the form
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
      <Field
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
      <Field as="select" label="Currency" name="currency" defaultValue={known}>
        {[...new Set([known, ...CURRENCIES])].map((each) => (
          <option key={each}>{each}</option>
        ))}
      </Field>
    </div>
  );
}
