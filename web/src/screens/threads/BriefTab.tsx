// The brief of a project. A concurrent edit is shown before it is replaced.
import { useState } from "react";
import { putTab } from "../../actions/threads";
import type { Thread } from "../../api/shapes";
import { Markdown, type Names } from "../../markdown/Markdown";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { PlainData } from "../../view/PlainData";
import { Icon } from "../../view/Icon";
import { messageTime } from "../../view/times";
import { briefOf, isUnknownFormat, withBrief } from "./tabs";
import { useIsOpen } from "./useThread";
import { useTab } from "./useTab";

export function BriefTab({ thread, names }: { thread: Thread; names: Names }) {
  const tab = useTab(thread.threadId, "brief");
  const canWrite = useIsOpen(thread.threadId);
  const [isEditing, setEditing] = useState(false);
  const content = tab?.content;
  const text = briefOf(content);
  if (isEditing) return <EditBrief thread={thread} names={names} onDone={() => setEditing(false)} />;
  return (
    <>
      {text !== "" && <Markdown text={text} names={names} />}
      {isUnknownFormat(content, "text") && <PlainData value={content} />}
      {text === "" && !isUnknownFormat(content, "text") && <p className="note">No brief yet.</p>}
      {tab?.updatedAt != null && <p className="note">Updated {messageTime(tab.updatedAt)}</p>}
      {canWrite && (
        <button type="button" className="button button-small" onClick={() => setEditing(true)}>
          <Icon name="edit" size={16} /> {text === "" ? "Write brief" : "Edit"}
        </button>
      )}
    </>
  );
}

function EditBrief({ thread, names, onDone }: { thread: Thread; names: Names; onDone: () => void }) {
  const tab = useTab(thread.threadId, "brief");
  const [seen, setSeen] = useState(tab);
  const isStale = tab !== undefined && tab.sourceVersion !== (seen?.sourceVersion ?? 0);
  return (
    <Form
      submit={isStale ? "Replace with mine" : "Save"}
      aside={
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
      }
      onSubmit={async ({ text = "" }) => {
        const base = isStale ? tab : seen;
        setSeen(base);
        if (
          await putTab(
            thread.threadId,
            "brief",
            withBrief(base?.content, text.trim()),
            base?.sourceVersion ?? 0,
          )
        )
          onDone();
      }}
    >
      {isStale && (
        <div className="card-notice" role="status">
          <p>This was just updated. The current brief:</p>
          <Markdown text={briefOf(tab.content)} names={names} />
        </div>
      )}
      <Field
        as="textarea"
        label="Project brief"
        name="text"
        rows={12}
        defaultValue={briefOf(seen?.content)}
        autoFocus
      />
    </Form>
  );
}
