// The invite dialog of a community or a workspace: a new link with its QR code, and the active invites.
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { revokeInvite } from "../actions/communities";
import { BASE } from "../api/base";
import type { Invite } from "../api/shapes";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { Icon } from "../view/Icon";
import { messageTime } from "../view/times";
import { toastError, toast } from "../view/toasts";

const QrCode = lazy(() => import("../qr/QrCode"));
const DAY = 86_400;

const linkOf = (code: string): string => `${location.origin}${BASE}/invite/${code}`;

type CreatedInvite = Pick<Invite, "code" | "uses" | "maxUses" | "expiresAt">;

interface InvitesProps {
  /** The name of the community or workspace. */
  to: string;
  create: (limits: { maxUses: number | null; expiresInSeconds: number | null }) => Promise<CreatedInvite>;
  /** Lists the active invites; null if the user may not see them. */
  list: (() => Promise<readonly CreatedInvite[]>) | null;
  onClose: () => void;
}

export function Invites({ to, create, list, onClose }: InvitesProps) {
  const [invite, setInvite] = useState<CreatedInvite | null>(null);
  const [all, setAll] = useState<readonly CreatedInvite[]>([]);
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current || list === null) return;
    asked.current = true;
    list().then(setAll, () => undefined);
  }, [list]);
  const revoke = (code: string) =>
    void revokeInvite(code).then(
      () => setAll((every) => every.filter((each) => each.code !== code)),
      toastError,
    );
  return (
    <Dialog title={`Invite to ${to}`} onClose={onClose}>
      {invite === null ? (
        <Form
          submit="Create invite"
          onSubmit={async ({ expiresIn = "", uses = "" }) => {
            const created = await create({
              expiresInSeconds: expiresIn === "" ? null : Number(expiresIn),
              maxUses: uses === "" ? null : Number(uses),
            });
            setInvite(created);
            setAll((every) => [created, ...every]);
          }}
        >
          <Field as="select" label="Expires" name="expiresIn" defaultValue={7 * DAY}>
            <option value={3600}>In 1 hour</option>
            <option value={DAY}>In 1 day</option>
            <option value={7 * DAY}>In 7 days</option>
            <option value="">Never</option>
          </Field>
          <Field as="select" label="Maximum uses" name="uses" defaultValue="">
            <option value="1">1</option>
            <option value="10">10</option>
            <option value="100">100</option>
            <option value="">No limit</option>
          </Field>
        </Form>
      ) : (
        <div className="invite-created">
          <Suspense fallback={<div className="skeleton qr" />}>
            <QrCode text={linkOf(invite.code)} label="Invite QR code" />
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
                .then(() => toast("Link copied"), toastError)
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
                  {each.expiresAt === null ? "" : `, expires ${messageTime(each.expiresAt)}`}
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
