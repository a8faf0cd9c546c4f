// Invites to a community or a workspace: a link to copy, a code to scan, and those that are still good.
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { revokeInvite } from "../actions/communities";
import type { Invite } from "../api/shapes";
import { Dialog } from "../view/Dialog";
import { Form } from "../view/Form";
import { Icon } from "../view/Icon";
import { messageTime } from "../view/times";
import { tellFailure, toast } from "../view/toasts";

const QrCode = lazy(() => import("../qr/QrCode"));
const DAY = 86_400;

const linkOf = (code: string): string => `${location.origin}/invite/${code}`;

type Made = Pick<Invite, "code" | "uses" | "maxUses" | "expiresAt">;

interface InvitesProps {
  /** The name of the place to which they lead. */
  to: string;
  create: (limits: { maxUses: number | null; expiresInSeconds: number | null }) => Promise<Made>;
  /** Those that are still good; null for who may not see them. */
  list: (() => Promise<readonly Made[]>) | null;
  onClose: () => void;
}

export function Invites({ to, create, list, onClose }: InvitesProps) {
  const [invite, setInvite] = useState<Made | null>(null);
  const [all, setAll] = useState<readonly Made[]>([]);
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current || list === null) return;
    asked.current = true;
    list().then(setAll, () => undefined);
  }, [list]);
  const revoke = (code: string) =>
    void revokeInvite(code).then(
      () => setAll((every) => every.filter((each) => each.code !== code)),
      tellFailure,
    );
  return (
    <Dialog title={`Invite to ${to}`} onClose={onClose}>
      {invite === null ? (
        <Form
          submit="Make an invite"
          onSubmit={async ({ lasts = "", uses = "" }) => {
            const made = await create({
              expiresInSeconds: lasts === "" ? null : Number(lasts),
              maxUses: uses === "" ? null : Number(uses),
            });
            setInvite(made);
            setAll((every) => [made, ...every]);
          }}
        >
          <label className="field">
            <span>Good for</span>
            <select className="input" name="lasts" defaultValue={7 * DAY}>
              <option value={3600}>an hour</option>
              <option value={DAY}>a day</option>
              <option value={7 * DAY}>a week</option>
              <option value="">ever</option>
            </select>
          </label>
          <label className="field">
            <span>For how many people</span>
            <select className="input" name="uses" defaultValue="">
              <option value="1">one</option>
              <option value="10">ten</option>
              <option value="100">a hundred</option>
              <option value="">any number</option>
            </select>
          </label>
        </Form>
      ) : (
        <div className="invite-made">
          <Suspense fallback={<div className="skeleton qr" />}>
            <QrCode text={linkOf(invite.code)} label="The invite, to be scanned" />
          </Suspense>
          <input
            className="input"
            readOnly
            aria-label="Invite link"
            value={linkOf(invite.code)}
            onFocus={(event) => event.target.select()}
          />
          <button
            type="button"
            className="button button-primary"
            onClick={() =>
              void navigator.clipboard
                .writeText(linkOf(invite.code))
                .then(() => toast("Link copied"), tellFailure)
            }
          >
            <Icon name="copy" /> Copy the link
          </button>
        </div>
      )}
      {all.length > 0 && (
        <section aria-label="Invites">
          <h3>Still good</h3>
          <ul className="people">
            {all.map((each) => (
              <li key={each.code} className="person">
                <code>{each.code}</code>
                <span className="note room-name">
                  {each.uses}
                  {each.maxUses === null ? "" : ` of ${each.maxUses}`} used
                  {each.expiresAt === null ? "" : `, until ${messageTime(each.expiresAt)}`}
                </span>
                <button type="button" className="button button-small" onClick={() => revoke(each.code)}>
                  Revoke
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </Dialog>
  );
}
