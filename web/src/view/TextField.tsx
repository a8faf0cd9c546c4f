// A field of several lines, and one of choices, with their labels.
import { useId, type ComponentProps, type ReactNode } from "react";

interface TextFieldProps extends ComponentProps<"textarea"> {
  label: string;
  error?: string | undefined;
}

export function TextField({ label, error, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <textarea
        id={id}
        className="input text-field"
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        {...rest}
      />
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
}

interface SelectProps extends ComponentProps<"select"> {
  label: string;
  children: ReactNode;
}

export function Select({ label, children, ...rest }: SelectProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <select id={id} className="input" {...rest}>
        {children}
      </select>
    </div>
  );
}

interface LineProps extends ComponentProps<"input"> {
  label: string;
  error?: string | undefined;
}

/** One line, with what is wrong about it below. */
export function Line({ label, error, ...rest }: LineProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <input
        id={id}
        className="input"
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        {...rest}
      />
      <FieldError id={`${id}-error`} error={error} />
    </div>
  );
}

function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <span id={id} className="field-error">
      {error}
    </span>
  );
}
