// The menu of a channel: edit and delete.
import { useState } from "react";
import { useLocation } from "wouter";
import { changeChannel, deleteChannel } from "../actions/communities";
import type { ChannelEntry } from "../store/state";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { MenuButton } from "../view/Menu";

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
      {asking === "change" && (
        <Dialog title={`Edit #${channel.name}`} onClose={close}>
          <Form
            submit="Save"
            onSubmit={async ({ name = "", topic = "" }) => {
              await changeChannel(channel.channelId, {
                name: name.trim(),
                topic: topic.trim() === "" ? null : topic.trim(),
              });
              close();
            }}
          >
            <Field label="Name" name="name" defaultValue={channel.name} maxLength={100} required autoFocus />
            <Field label="Topic" name="topic" defaultValue={channel.topic ?? ""} maxLength={1024} />
          </Form>
        </Dialog>
      )}
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
