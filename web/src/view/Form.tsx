// A form with a submit button that waits for the result, and the error of a failed submit.
import { useState, type ReactNode } from "react";
import { Problem, errorText } from "../api/problems";
import { SAVED } from "./typedText";

interface FormProps {
  submit: string;
  onSubmit: (values: Record<string, string>) => Promise<void>;
  danger?: boolean;
  children?: ReactNode;
  /** Shown beside the submit button. */
  aside?: ReactNode;
}

export function Form({ submit, onSubmit, danger = false, children, aside }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submitForm = async (form: HTMLFormElement) => {
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
        void submitForm(event.currentTarget);
      }}
    >
      {children}
      {error !== null && (
        <p className="form-error" role="alert">
          {errorText(error)}
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
