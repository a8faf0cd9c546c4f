// A new thread with a seller: an inquiry about a listing, or a project.
import { useState } from "react";
import { useLocation } from "wouter";
import { requireUser } from "../../actions/conversations";
import { startThread } from "../../actions/threads";
import type { Thread } from "../../api/shapes";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";

const KINDS: readonly { kind: Thread["kind"]; label: string; description: string }[] = [
  { kind: "inquiry", label: "Inquiry", description: "A question about a listing" },
  { kind: "project", label: "Project", description: "Shared brief, files, documents and expenses" },
];

export function NewThread({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<Thread["kind"]>("inquiry");
  const [, navigate] = useLocation();
  const create = async ({ username = "", listing = "", city = "" }: Record<string, string>) => {
    const seller = await requireUser(username);
    const threadId = await startThread({
      kind,
      sellerUserId: seller.userId,
      listingId: listing.trim() === "" ? null : listing.trim(),
      city: city.trim() === "" ? null : city.trim(),
    });
    onClose();
    navigate(`/t/${threadId}`);
  };
  return (
    <Dialog title="New thread" onClose={onClose}>
      <Form submit="Create thread" onSubmit={create}>
        <fieldset className="choice choice-row">
          <legend className="field-label">Type</legend>
          {KINDS.map((each) => (
            <label key={each.kind}>
              <input
                type="radio"
                name="kind"
                checked={each.kind === kind}
                onChange={() => setKind(each.kind)}
              />
              <span>
                {each.label}
                <span className="note">{each.description}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Field label="Seller" name="username" placeholder="Username" required autoFocus autoComplete="off" />
        <Field
          label={kind === "inquiry" ? "Listing" : "Listing (optional)"}
          name="listing"
          maxLength={200}
          required={kind === "inquiry"}
          autoComplete="off"
        />
        <Field label="City (optional)" name="city" maxLength={100} autoComplete="off" />
      </Form>
    </Dialog>
  );
}
