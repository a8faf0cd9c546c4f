// Create a community, or join one with an invite.
import { useLocation } from "wouter";
import { createServer } from "../actions/communities";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";

export function NewCommunity({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Dialog title="Create a community" onClose={onClose}>
      <Form
        submit="Create"
        onSubmit={async ({ name = "" }) => {
          const { serverId, channelId } = await createServer(name.trim(), null);
          onClose();
          navigate(`/c/${serverId}/${channelId}`);
        }}
      >
        <Field label="Name" name="name" maxLength={100} required autoFocus autoComplete="off" />
      </Form>
      <hr className="line" />
      <Form
        submit="View invite"
        onSubmit={({ invite = "" }) => {
          onClose();
          navigate(`/invite/${encodeURIComponent(codeOf(invite))}`);
          return Promise.resolve();
        }}
      >
        <Field
          label="Or join with an invite"
          name="invite"
          required
          autoComplete="off"
          placeholder="Invite link or code"
        />
      </Form>
    </Dialog>
  );
}

function codeOf(text: string): string {
  return (
    text
      .trim()
      .replace(/[?#].*$/, "")
      .replace(/\/+$/, "")
      .split("/")
      .at(-1) ?? ""
  );
}
