// Adds files to a tab: uploads them, sends them to the thread, and lists them.
import { useRef, useState } from "react";
import { shareFiles } from "../../actions/sharing";
import { upload } from "../../api/client";
import type { Attachment } from "../../api/shapes";
import { Icon } from "../../view/Icon";
import { toastError } from "../../view/toasts";
import { received } from "../room/uploads";

interface AddFilesProps {
  threadId: string;
  label: string;
  accept?: string;
  onShared: (files: Attachment[]) => void;
}

const MOST = 10;

export function AddFiles({ threadId, label, accept, onShared }: AddFilesProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const add = async (chosen: readonly File[]) => {
    setBusy(true);
    try {
      const { signal } = new AbortController();
      const files = await Promise.all(
        chosen.map(async (file) => received(await upload(file, "message", () => undefined, signal), file)),
      );
      await shareFiles(threadId, files);
      onShared(files);
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])].slice(0, MOST);
          event.target.value = "";
          if (chosen.length > 0) void add(chosen);
        }}
      />
      <button
        type="button"
        className="button button-small"
        disabled={isBusy}
        onClick={() => picker.current?.click()}
      >
        {isBusy ? <span className="spinner" aria-hidden="true" /> : <Icon name="plus" size={16} />} {label}
      </button>
    </div>
  );
}
