// A transition of a card: with a note, with a new payload, or by replying with another card.
import { moveCard } from "../../actions/threads";
import type { Card } from "../../api/shapes";
import { formatAmount } from "../../cards/money";
import { isFinished, typeTitle, verbFor, type Transition } from "../../cards/types";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { CardForm } from "./CardForm";

interface CardTransitionProps {
  /** The card as shown when the user pressed the button. */
  card: Card;
  transition: Transition;
  onClose: () => void;
  /** Called if another participant was first. */
  onConflict: () => void;
}

export function CardTransition({ card, transition, onClose, onConflict }: CardTransitionProps) {
  if (transition.how === "answer")
    return <CardForm threadId={card.threadId} type="counter-offer" answers={card} onClose={onClose} />;
  if (transition.how === "renewal")
    return (
      <CardForm
        threadId={card.threadId}
        type={card.type}
        resubmits={card}
        to={transition.to}
        onClose={onClose}
        onConflict={onConflict}
      />
    );
  const isLast = isFinished(card.type, transition.to);
  const isNegative = ["declined", "withdrawn", "cancelled"].includes(transition.to);
  return (
    <Dialog title={questionFor(card, transition.to)} onClose={onClose}>
      <Form
        submit={verbFor(transition.to)}
        danger={isNegative}
        onSubmit={async ({ note = "" }) => {
          const isDone = await moveCard(
            card,
            transition.to,
            note.trim() === "" ? null : { note: note.trim() },
          );
          onClose();
          if (!isDone) onConflict();
        }}
      >
        {isLast && <p className="note">This can't be undone.</p>}
        <Field as="textarea" label="Add a note (optional)" name="note" maxLength={2000} rows={2} />
      </Form>
    </Dialog>
  );
}

/** The title of the confirmation: “Accept €60.00 offer?”. */
function questionFor({ type, payload: { amount, currency } }: Card, to: string): string {
  const price = typeof amount === "number" && typeof currency === "string";
  const name = typeTitle(type).toLowerCase();
  const what = price ? `${formatAmount(amount, currency)} ${name}` : name;
  if (to === "paid" || to === "completed") return `Mark ${what} as ${to}?`;
  if (to === "revision-requested" || to === "cancelled") return `${verbFor(to)}?`;
  return `${verbFor(to)} ${what}?`;
}
