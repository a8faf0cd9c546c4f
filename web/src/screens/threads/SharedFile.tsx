// A file that a card names by its id. Its name is known if a loaded message has the file.
import { addressOf } from "../../actions/files";
import type { Attachment } from "../../api/shapes";
import { useStore } from "../../store/store";
import { Icon } from "../../view/Icon";
import { toastError } from "../../view/toasts";
import { FileCard } from "../room/Attachments";

export function SharedFile({ threadId, fileId }: { threadId: string; fileId: string }) {
  const file = useStore((state): Attachment | undefined => {
    for (const message of state.logs[`thread:${threadId}`]?.messages ?? [])
      for (const each of message.attachments) if (each.fileId === fileId) return each;
    return undefined;
  });
  if (file !== undefined) return <FileCard file={file} />;
  return (
    <button type="button" className="link" onClick={() => save(fileId)}>
      <Icon name="download" size={15} /> Download file
    </button>
  );
}

function save(fileId: string): void {
  addressOf(fileId).then((address) => {
    const link = document.createElement("a");
    link.href = address.url;
    link.download = "";
    link.click();
  }, toastError);
}
