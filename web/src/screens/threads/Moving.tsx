// Moving a card on: with a word beside it, with a new payload, or by answering it with another card.
import { moveCard } from "../../actions/threads";
import type { Card } from "../../api/shapes";
import { isFinished, typeTitle, verbFor, type Way } from "../../cards/types";
import { Dialog } from "../../view/Dialog";
import { Form } from "../../view/Form";
import { TextField } from "../../view/TextField";
import { CardForm } from "./CardForm";

interface MovingProps {
  /** The card as it was seen when the button was pressed. */
  card: Card;
  way: Way;
  onClose: () => void;
  /** Somebody else moved it first. */
  onLost: () => void;
}

export function Moving({ card, way, onClose, onLost }: MovingProps) {
  const name = typeTitle(card.type).toLowerCase();
  if (way.how === "answer")
    return <CardForm threadId={card.threadId} type="counter-offer" answers={card} onClose={onClose} />;
  if (way.how === "renewal")
    return (
      <CardForm
        threadId={card.threadId}
        type={card.type}
        renews={card}
        to={way.to}
        onClose={onClose}
        onLost={onLost}
      />
    );
  const isLast = isFinished(card.type, way.to);
  const isTurn = ["declined", "withdrawn", "cancelled"].includes(way.to);
  return (
    <Dialog title={`${verbFor(way.to)}: ${name}`} onClose={onClose}>
      <Form
        submit={verbFor(way.to)}
        danger={isTurn}
        onSubmit={async ({ note = "" }) => {
          const isMine = await moveCard(card, way.to, note.trim() === "" ? null : { note: note.trim() });
          onClose();
          if (!isMine) onLost();
        }}
      >
        {isLast && <p className="note">This cannot be taken back.</p>}
        <TextField label="A word beside it (optional)" name="note" maxLength={2000} rows={2} />
      </Form>
    </Dialog>
  );
}
