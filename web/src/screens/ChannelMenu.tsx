// The menu of a channel: edit and delete.
import { useEffect, useState } from "react";
import { useLocation } from "wouter";
import { changeChannel, deleteChannel, getAccess, setAccess } from "../actions/communities";
import type { Access } from "../api/shapes";
import type { ChannelEntry } from "../store/state";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { MenuButton } from "../view/Menu";
import { accessFrom, isChanged } from "./access";
import { AccessFields } from "./AccessFields";

export function ChannelMenu({ channel }: { channel: ChannelEntry }) {
  const [asking, setAsking] = useState<"change" | "delete" | null>(null);
  const [, navigate] = useLocation();
  const close = () => setAsking(null);
  return (
    <>
      <MenuButton
        label="Channel menu"
        items={[
          { label: "Edit channel", icon: "edit", onChoose: () => setAsking("change") },
          { label: "Delete channel", icon: "trash", danger: true, onChoose: () => setAsking("delete") },
        ]}
      />
      {asking === "change" && <EditChannel channel={channel} onClose={close} />}
      {asking === "delete" && (
        <Dialog title={`Delete #${channel.name}?`} onClose={close}>
          <p>This deletes the channel and all its messages. It can't be undone.</p>
          <Form
            submit="Delete"
            danger
            onSubmit={async () => {
              await deleteChannel(channel.serverId, channel.channelId);
              navigate(`/c/${channel.serverId}`);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function EditChannel({ channel, onClose }: { channel: ChannelEntry; onClose: () => void }) {
  const [access, setLoaded] = useState<Access | null>(null);
  useEffect(() => {
    void getAccess(channel.channelId).then(setLoaded, () => undefined);
  }, [channel.channelId]);
  return (
    <Dialog title={`Edit #${channel.name}`} onClose={onClose}>
      <Form
        submit="Save"
        onSubmit={async (values) => {
          const { name = "", topic = "" } = values;
          await changeChannel(channel.channelId, {
            name: name.trim(),
            topic: topic.trim() === "" ? null : topic.trim(),
          });
          const wanted = accessFrom(values);
          if (access !== null && isChanged(access, wanted)) await setAccess(channel.channelId, wanted);
          onClose();
        }}
      >
        <Field label="Name" name="name" defaultValue={channel.name} maxLength={100} required autoFocus />
        <Field label="Topic" name="topic" defaultValue={channel.topic ?? ""} maxLength={1024} />
        {access !== null && (
          <AccessFields serverId={channel.serverId} access={access.private ? access : null} />
        )}
      </Form>
    </Dialog>
  );
}
