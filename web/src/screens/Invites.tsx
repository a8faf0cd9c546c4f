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
          submit="Create invite"
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
            <span>Expires</span>
            <select className="input" name="lasts" defaultValue={7 * DAY}>
              <option value={3600}>After an hour</option>
              <option value={DAY}>After a day</option>
              <option value={7 * DAY}>After a week</option>
              <option value="">Never</option>
            </select>
          </label>
          <label className="field">
            <span>Maximum uses</span>
            <select className="input" name="uses" defaultValue="">
              <option value="1">1</option>
              <option value="10">10</option>
              <option value="100">100</option>
              <option value="">No limit</option>
            </select>
          </label>
        </Form>
      ) : (
        <div className="invite-made">
          <Suspense fallback={<div className="skeleton qr" />}>
            <QrCode text={linkOf(invite.code)} label="QR code of the invite" />
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
            <Icon name="copy" /> Copy link
          </button>
        </div>
      )}
      {all.length > 0 && (
        <section aria-label="Invites">
          <h3>Active invites</h3>
          <ul className="people">
            {all.map((each) => (
              <li key={each.code} className="invite-row">
                <code>{each.code}</code>
                <span className="note">
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
