// Forms: fields with their errors beside them, and a button that waits for the answer.
import { useId, useState, type ComponentProps, type ReactNode } from "react";
import { Problem, wordsFor } from "../api/problems";
import { SAVED } from "./typedText";

interface FormProps {
  submit: string;
  onSubmit: (values: Record<string, string>) => Promise<void>;
  danger?: boolean;
  children?: ReactNode;
  /** Beside the button. */
  aside?: ReactNode;
}

export function Form({ submit, onSubmit, danger = false, children, aside }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const take = async (form: HTMLFormElement) => {
    const values: Record<string, string> = {};
    for (const [name, value] of new FormData(form)) if (typeof value === "string") values[name] = value;
    setBusy(true);
    setError(null);
    try {
      await onSubmit(values);
      form.dispatchEvent(new Event(SAVED, { bubbles: true }));
    } catch (failure) {
      setError(failure);
      const [field] = failure instanceof Problem ? Object.keys(failure.fields) : [];
      if (field !== undefined) form.querySelector<HTMLElement>(`[name="${CSS.escape(field)}"]`)?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void take(event.currentTarget);
      }}
    >
      {children}
      {error !== null && (
        <p className="form-error" role="alert">
          {wordsFor(error)}
        </p>
      )}
      <div className="form-buttons">
        {aside}
        <button className={`button ${danger ? "button-danger" : "button-primary"}`} disabled={isBusy}>
          {isBusy && <span className="spinner" aria-hidden="true" />}
          {submit}
        </button>
      </div>
    </form>
  );
}

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  note?: string;
}

export function Field({ label, note, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <input
        id={id}
        className="input"
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        {...rest}
      />
      {note !== undefined && (
        <span id={`${id}-note`} className="note">
          {note}
        </span>
      )}
    </div>
  );
}
