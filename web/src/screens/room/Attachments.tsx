// The files of a message. Pictures reserve their space before they load, so that the layout does not shift.
import { useState } from "react";
import { addressOf, useAddress } from "../../actions/files";
import type { Attachment } from "../../api/shapes";
import { Dialog } from "../../view/Dialog";
import { Icon } from "../../view/Icon";
import { sizeOf } from "../../view/sizes";
import { useTabIndex } from "../../view/tabStop";
import { toastError } from "../../view/toasts";

const WIDEST = 420;
const HIGHEST = 320;

export function Attachments({ files }: { files: readonly Attachment[] }) {
  if (files.length === 0) return null;
  return (
    <div className="attachments">
      {files.map((file) =>
        file.mime.startsWith("image/") && file.w !== undefined && file.h !== undefined ? (
          <Picture key={file.fileId} file={file} width={file.w} height={file.h} />
        ) : (
          <FileCard key={file.fileId} file={file} />
        ),
      )}
    </div>
  );
}

function Picture({ file, width, height }: { file: Attachment; width: number; height: number }) {
  const address = useAddress(file.fileId);
  const [isOpen, setOpen] = useState(false);
  const tabIndex = useTabIndex();
  const scale = Math.min(1, WIDEST / width, HIGHEST / height);
  return (
    <>
      <button
        type="button"
        className="picture"
        tabIndex={tabIndex}
        style={{ width: Math.max(48, Math.round(width * scale)), aspectRatio: `${width} / ${height}` }}
        onClick={() => setOpen(true)}
        aria-label={`Open picture ${file.name}`}
      >
        {address !== null && address !== "gone" && (
          <img src={address.previewUrl ?? address.url} alt={file.name} />
        )}
        {address === "gone" && <span className="note">{file.name} is not available</span>}
      </button>
      {isOpen && address !== null && address !== "gone" && (
        <Dialog title={file.name} onClose={() => setOpen(false)} wide>
          <img className="picture-large" src={address.url} alt={file.name} />
          <button type="button" className="button" onClick={() => save(file)}>
            <Icon name="download" /> Download
          </button>
        </Dialog>
      )}
    </>
  );
}

export function FileCard({ file }: { file: Attachment }) {
  const tabIndex = useTabIndex();
  return (
    <button
      type="button"
      className="file-card"
      tabIndex={tabIndex}
      onClick={() => save(file)}
      aria-label={`Download ${file.name}`}
    >
      <Icon name="file" size={24} />
      <span className="file-name">{file.name}</span>
      <span className="note">{sizeOf(file.size)}</span>
      <Icon name="download" />
    </button>
  );
}

function save(file: Attachment): void {
  addressOf(file.fileId).then((address) => {
    const link = document.createElement("a");
    link.href = address.url;
    link.download = file.name;
    link.click();
  }, toastError);
}
