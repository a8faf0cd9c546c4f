import { useLocation } from "wouter";
import { createChannel } from "../actions/communities";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { accessFrom } from "./access";
import { AccessFields } from "./AccessFields";

export function NewChannel({ serverId, onClose }: { serverId: string; onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Dialog title="Create channel" onClose={onClose}>
      <Form
        submit="Create"
        onSubmit={async (values) => {
          const { name = "", topic = "" } = values;
          const channelId = await createChannel(
            serverId,
            name.trim(),
            topic.trim() === "" ? null : topic.trim(),
            accessFrom(values),
          );
          onClose();
          navigate(`/c/${serverId}/${channelId}`);
        }}
      >
        <Field label="Name" name="name" maxLength={100} required autoFocus autoComplete="off" />
        <Field label="Topic (optional)" name="topic" maxLength={1024} autoComplete="off" />
        <AccessFields serverId={serverId} access={null} />
      </Form>
    </Dialog>
  );
}
