// The button to leave a group or a thread, which asks first.
import { useState } from "react";
import { Dialog } from "../view/Dialog";
import { Form } from "../view/Form";

export function LeaveButton({ what, onLeave }: { what: string; onLeave: () => Promise<void> }) {
  const [isLeaving, setLeaving] = useState(false);
  return (
    <>
      <button type="button" className="button button-danger" onClick={() => setLeaving(true)}>
        Leave {what}
      </button>
      {isLeaving && (
        <Dialog title={`Leave ${what}?`} onClose={() => setLeaving(false)}>
          <p>You won't receive new messages unless someone adds you again.</p>
          <Form submit="Leave" danger onSubmit={onLeave} />
        </Dialog>
      )}
    </>
  );
}
