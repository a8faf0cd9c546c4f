// The brief: what is wanted, in words. Who writes sees what others wrote meanwhile before it is replaced.
import { useState } from "react";
import { putTab } from "../../actions/threads";
import type { Thread } from "../../api/shapes";
import { Markdown, type Names } from "../../markdown/Markdown";
import { Form } from "../../view/Form";
import { Free } from "../../view/Free";
import { Icon } from "../../view/Icon";
import { TextField } from "../../view/TextField";
import { messageTime } from "../../view/times";
import { briefOf, isForeign, withBrief } from "./tabs";
import { useIsOpen } from "./useThread";
import { useTab } from "./useTab";

export function BriefTab({ thread, names }: { thread: Thread; names: Names }) {
  const tab = useTab(thread.threadId, "brief");
  const canWrite = useIsOpen(thread.threadId);
  const [isWriting, setWriting] = useState(false);
  const content = tab?.content;
  const words = briefOf(content);
  if (isWriting) return <Writing thread={thread} names={names} onDone={() => setWriting(false)} />;
  return (
    <>
      {words !== "" && <Markdown text={words} names={names} />}
      {isForeign(content, "text") && <Free value={content} />}
      {words === "" && !isForeign(content, "text") && (
        <p className="note">Nobody has written what is wanted yet.</p>
      )}
      {tab?.updatedAt != null && <p className="note">Written {messageTime(tab.updatedAt)}</p>}
      {canWrite && (
        <button type="button" className="button button-small" onClick={() => setWriting(true)}>
          <Icon name="edit" size={16} /> {words === "" ? "Write the brief" : "Change"}
        </button>
      )}
    </>
  );
}

function Writing({ thread, names, onDone }: { thread: Thread; names: Names; onDone: () => void }) {
  const tab = useTab(thread.threadId, "brief");
  const [seen, setSeen] = useState(tab);
  const isStale = tab !== undefined && tab.sourceVersion !== (seen?.sourceVersion ?? 0);
  return (
    <Form
      submit={isStale ? "Replace theirs by mine" : "Save"}
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
          <p>Somebody changed the brief meanwhile. It says now:</p>
          <Markdown text={briefOf(tab.content)} names={names} />
        </div>
      )}
      <TextField
        label="What is wanted"
        name="text"
        rows={12}
        defaultValue={briefOf(seen?.content)}
        autoFocus
      />
    </Form>
  );
}
