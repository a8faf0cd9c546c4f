// A new thread with a seller: an inquiry about a listing, or a project.
import { useState } from "react";
import { useLocation } from "wouter";
import { findUser } from "../../actions/conversations";
import { beginThread } from "../../actions/threads";
import type { Thread } from "../../api/shapes";
import { Dialog } from "../../view/Dialog";
import { Field, Form } from "../../view/Form";

const KINDS: readonly { kind: Thread["kind"]; label: string; says: string }[] = [
  { kind: "inquiry", label: "Inquiry", says: "A question about a listing" },
  { kind: "project", label: "Project", says: "Work together: brief, files, documents, expenses" },
];

export function NewThread({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<Thread["kind"]>("inquiry");
  const [, navigate] = useLocation();
  const begin = async ({ username = "", listing = "", city = "" }: Record<string, string>) => {
    const seller = await findUser(username);
    if (seller === null) throw new Error(`Nobody is called “${username}”.`);
    const threadId = await beginThread({
      kind,
      sellerUserId: seller.userId,
      listingId: listing.trim() === "" ? null : listing.trim(),
      city: city.trim() === "" ? null : city.trim(),
    });
    onClose();
    navigate(`/t/${threadId}`);
  };
  return (
    <Dialog title="A new thread" onClose={onClose}>
      <Form submit="Begin" onSubmit={begin}>
        <fieldset className="choice choice-row">
          <legend className="field-label">What is it?</legend>
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
                <span className="note">{each.says}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Field label="Seller" name="username" placeholder="User name" required autoFocus autoComplete="off" />
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
