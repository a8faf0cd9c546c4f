// The moodboard: a grid of pictures and notes.
import { useAddress } from "../../actions/files";
import type { Thread } from "../../api/shapes";
import { PlainData } from "../../view/PlainData";
import { IconButton } from "../../view/Icon";
import { AddFiles } from "./AddFiles";
import { AddLine } from "./AddLine";
import { addMoods, isUnknownFormat, moodsOf, removeMood, type Mood } from "./tabs";
import { useIsOpen } from "./useThread";
import { useChange, useTab } from "./useTab";

export function MoodboardTab({ thread }: { thread: Thread }) {
  const content = useTab(thread.threadId, "moodboard")?.content;
  const change = useChange(thread.threadId, "moodboard");
  const canWrite = useIsOpen(thread.threadId);
  if (isUnknownFormat(content, "entries")) return <PlainData value={content} />;
  const moods = moodsOf(content);
  return (
    <>
      {moods.length === 0 && <p className="note">Add pictures and notes that show the look you want.</p>}
      <ul className="moods">
        {moods.map((mood, index) => (
          <li
            key={`${index} ${mood.fileId ?? mood.text}`}
            className={mood.fileId === null ? "mood mood-text" : "mood"}
          >
            {mood.fileId === null ? <p>{mood.text}</p> : <MoodPicture mood={mood} fileId={mood.fileId} />}
            {canWrite && (
              <IconButton
                icon="close"
                size={14}
                label={`Remove ${mood.text === "" ? "picture" : `“${mood.text}”`}`}
                onClick={() => change((before) => removeMood(before, index, mood))}
              />
            )}
          </li>
        ))}
      </ul>
      {canWrite && (
        <>
          <AddLine
            label="Add a note"
            onAdd={(text) => change((before) => addMoods(before, [{ text, fileId: null }]))}
          />
          <AddFiles
            threadId={thread.threadId}
            label="Add pictures"
            accept="image/png,image/jpeg,image/webp,image/gif"
            onShared={(files) =>
              change((before) =>
                addMoods(
                  before,
                  files.map((each) => ({ text: each.name, fileId: each.fileId })),
                ),
              )
            }
          />
        </>
      )}
    </>
  );
}

function MoodPicture({ mood, fileId }: { mood: Mood; fileId: string }) {
  const address = useAddress(fileId);
  if (address === null) return <div className="skeleton mood-skeleton" />;
  if (address === "gone") return <p className="note">{mood.text} is not available</p>;
  return <img src={address.previewUrl ?? address.url} alt={mood.text} />;
}
