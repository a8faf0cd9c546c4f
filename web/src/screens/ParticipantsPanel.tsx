// The participants of a conversation; group admins also add, remove and rename here.
import { useLocation } from "wouter";
import { addParticipant, removeParticipant, renameConversation, requireUser } from "../actions/conversations";
import { loadReaders } from "../actions/room";
import type { Conversation } from "../api/shapes";
import { useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { IconButton } from "../view/Icon";
import { toastError } from "../view/toasts";
import { LeaveButton } from "./LeaveButton";
import { SidePanel } from "./SidePanel";
import { secondaryName, shownName } from "../view/names";

export function ParticipantsPanel({
  conversation,
  onClose,
}: {
  conversation: Conversation;
  onClose: () => void;
}) {
  const { convoId, role } = conversation;
  const isGroup = conversation.type === "group";
  const canManage = isGroup && role === "admin";
  const people = Object.values(useStore((state) => state.readings[`conversation:${convoId}`]) ?? {});
  const me = useStore((state) => state.me?.userId ?? "");
  const [, navigate] = useLocation();
  const reload = () => loadReaders({ kind: "conversation", id: convoId });
  return (
    <SidePanel title="People" onClose={onClose}>
      <ul className="people">
        {people.map((person) => (
          <li key={person.userId} className="person">
            <Avatar id={person.userId} name={shownName(person)} url={person.avatarUrl} size={32} presence />
            <span className="room-name" title={secondaryName(person)}>
              {shownName(person)}
            </span>
            {canManage && person.userId !== me && (
              <IconButton
                icon="close"
                size={15}
                label={`Remove ${shownName(person)}`}
                onClick={() => void removeParticipant(convoId, person.userId).then(reload).catch(toastError)}
              />
            )}
          </li>
        ))}
      </ul>
      {canManage && (
        <>
          <Form
            submit="Add"
            onSubmit={async ({ username = "" }) => {
              const user = await requireUser(username);
              await addParticipant(convoId, user.userId);
              await reload();
            }}
          >
            <Field label="Add person" name="username" placeholder="Username" required autoComplete="off" />
          </Form>
          <Form
            submit="Rename"
            onSubmit={({ name = "" }) => renameConversation(convoId, name.trim() === "" ? null : name.trim())}
          >
            <Field label="Group name" name="name" defaultValue={conversation.name ?? ""} maxLength={100} />
          </Form>
        </>
      )}
      {isGroup && (
        <LeaveButton
          what="group"
          onLeave={async () => {
            await removeParticipant(convoId, me);
            navigate("/");
          }}
        />
      )}
    </SidePanel>
  );
}
