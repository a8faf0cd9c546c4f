// The shotlist: a checklist that both sides edit.
import type { Thread } from "../../api/shapes";
import { PlainData } from "../../view/PlainData";
import { IconButton } from "../../view/Icon";
import { AddLine } from "./AddLine";
import { addShot, isUnknownFormat, removeShot, setShot, shotsOf } from "./tabs";
import { useIsOpen } from "./useThread";
import { useChange, useTab } from "./useTab";

export function ShotlistTab({ thread }: { thread: Thread }) {
  const content = useTab(thread.threadId, "shotlist")?.content;
  const change = useChange(thread.threadId, "shotlist");
  const canWrite = useIsOpen(thread.threadId);
  if (isUnknownFormat(content, "shots")) return <PlainData value={content} />;
  const shots = shotsOf(content);
  const done = shots.filter((each) => each.done).length;
  return (
    <>
      {shots.length === 0 ? (
        <p className="note">No shots yet.</p>
      ) : (
        <p className="note">
          {done} of {shots.length} done
        </p>
      )}
      <ul className="shots">
        {shots.map((shot, index) => (
          <li key={`${index} ${shot.title}`} className={shot.done ? "shot shot-done" : "shot"}>
            <label>
              <input
                type="checkbox"
                checked={shot.done}
                disabled={!canWrite}
                onChange={(event) => {
                  const isDone = event.target.checked;
                  change((before) => setShot(before, index, shot.title, isDone));
                }}
              />
              <span>{shot.title}</span>
            </label>
            {canWrite && (
              <IconButton
                icon="close"
                size={14}
                label={`Remove “${shot.title}”`}
                onClick={() => change((before) => removeShot(before, index, shot.title))}
              />
            )}
          </li>
        ))}
      </ul>
      {canWrite && (
        <AddLine label="Add a shot" onAdd={(title) => change((before) => addShot(before, title))} />
      )}
    </>
  );
}
