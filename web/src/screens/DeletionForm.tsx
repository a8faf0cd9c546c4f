// The deletion of a community or a workspace, which asks for its name.
import { Field } from "../view/Field";
import { Form } from "../view/Form";

interface DeletionFormProps {
  what: string;
  name: string;
  note: string;
  onDelete: () => Promise<void>;
}

export function DeletionForm({ what, name, note, onDelete }: DeletionFormProps) {
  return (
    <details className="danger-zone">
      <summary>Delete {what}</summary>
      <Form
        submit="Delete permanently"
        danger
        onSubmit={async ({ confirmation = "" }) => {
          if (confirmation !== name) throw new Error("The name doesn't match.");
          await onDelete();
        }}
      >
        <Field
          label={`Type “${name}” to confirm`}
          note={`${note} This can't be undone.`}
          name="confirmation"
          required
          autoComplete="off"
        />
      </Form>
    </details>
  );
}
