// Community settings: name, icon, bans, deletion.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { uploadAvatar } from "../actions/account";
import { changeServer, deleteServer, liftBan, listBans } from "../actions/communities";
import type { Ban } from "../api/shapes";
import type { ServerEntry } from "../store/state";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { PictureField } from "../view/PictureField";
import { toastError } from "../view/toasts";
import { DeletionForm } from "./DeletionForm";
import { shownName } from "../view/names";

export function CommunitySettings({ server, onClose }: { server: ServerEntry; onClose: () => void }) {
  const [, navigate] = useLocation();
  const { serverId } = server;
  return (
    <Dialog title="Community settings" onClose={onClose} wide>
      <PictureField
        id={serverId}
        name={server.name}
        url={server.iconUrl}
        square
        onChoose={async (file) => changeServer(serverId, { iconUrl: await uploadAvatar(file) })}
        onRemove={() => changeServer(serverId, { iconUrl: null })}
      />
      <Form submit="Save" onSubmit={({ name = "" }) => changeServer(serverId, { name: name.trim() })}>
        <Field label="Name" name="name" defaultValue={server.name} maxLength={100} required />
      </Form>
      <Bans serverId={serverId} />
      {server.role === "owner" && (
        <DeletionForm
          what="community"
          name={server.name}
          note="Deletes every channel and message."
          onDelete={async () => {
            await deleteServer(serverId);
            onClose();
            navigate("/");
          }}
        />
      )}
    </Dialog>
  );
}

function Bans({ serverId }: { serverId: string }) {
  const [bans, setBans] = useState<readonly Ban[]>([]);
  useEffect(() => {
    listBans(serverId).then(setBans, () => undefined);
  }, [serverId]);
  if (bans.length === 0) return null;
  const lift = (userId: string) =>
    void liftBan(serverId, userId).then(
      () => setBans((all) => all.filter((each) => each.userId !== userId)),
      toastError,
    );
  return (
    <section aria-label="Bans">
      <h3>Banned members</h3>
      <ul className="people">
        {bans.map((ban) => (
          <li key={ban.userId} className="person">
            <span className="room-name">
              {shownName(ban)} {ban.reason !== null && <span className="note">{ban.reason}</span>}
            </span>
            <button type="button" className="button button-small" onClick={() => lift(ban.userId)}>
              Unban
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
