// A labeled form field: one line, several lines, or a choice, with a note and an error below.
import { useId, type ComponentProps } from "react";

interface FieldBase {
  label: string;
  note?: string | undefined;
  error?: string | undefined;
}

type FieldProps = FieldBase &
  (
    | ({ as?: "input" } & ComponentProps<"input">)
    | ({ as: "textarea" } & ComponentProps<"textarea">)
    | ({ as: "select" } & ComponentProps<"select">)
  );

export function Field({ label, note, error, as = "input", ...rest }: FieldProps) {
  const id = useId();
  const Control = as as "input"; // the union above matches the attributes to the element
  const described = [note !== undefined && `${id}-note`, error !== undefined && `${id}-error`];
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        {label}
      </label>
      <Control
        id={id}
        className={as === "textarea" ? "input text-field" : "input"}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={described.filter((each) => each !== false).join(" ") || undefined}
        {...(rest as ComponentProps<"input">)}
      />
      {note !== undefined && (
        <span id={`${id}-note`} className="note">
          {note}
        </span>
      )}
      {error !== undefined && (
        <span id={`${id}-error`} className="field-error">
          {error}
        </span>
      )}
    </div>
  );
}
