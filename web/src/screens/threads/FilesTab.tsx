// The shared files of a project.
import type { Thread } from "../../api/shapes";
import { PlainData } from "../../view/PlainData";
import { IconButton } from "../../view/Icon";
import { FileCard } from "../room/Attachments";
import { AddFiles } from "./AddFiles";
import { addFiles, filesOf, isUnknownFormat, removeFile } from "./tabs";
import { useIsOpen } from "./useThread";
import { useChange, useTab } from "./useTab";

export function FilesTab({ thread }: { thread: Thread }) {
  const content = useTab(thread.threadId, "files")?.content;
  const change = useChange(thread.threadId, "files");
  const canWrite = useIsOpen(thread.threadId);
  if (isUnknownFormat(content, "files")) return <PlainData value={content} />;
  const files = filesOf(content);
  return (
    <>
      {files.length === 0 && <p className="note">No files yet.</p>}
      <ul className="tab-files">
        {files.map((file) => (
          <li key={file.fileId}>
            <FileCard file={file} />
            {canWrite && (
              <IconButton
                icon="close"
                size={14}
                label={`Remove ${file.name}`}
                onClick={() => change((before) => removeFile(before, file.fileId))}
              />
            )}
          </li>
        ))}
      </ul>
      {canWrite && (
        <AddFiles
          threadId={thread.threadId}
          label="Add files"
          onShared={(shared) => change((before) => addFiles(before, shared))}
        />
      )}
    </>
  );
}
