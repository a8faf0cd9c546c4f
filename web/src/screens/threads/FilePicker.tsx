// A file field of a form; each file uploads as soon as it is chosen.
import { useRef } from "react";
import { Icon } from "../../view/Icon";
import { UploadTray } from "../room/UploadTray";
import type { useUploads } from "../room/uploads";

export function FilePicker({ label, files }: { label: string; files: ReturnType<typeof useUploads> }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="field">
      <span className="field-label">{label}</span>
      <UploadTray uploads={files.uploads} onRemove={files.remove} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={(event) => {
          files.add(event.target.files ?? []);
          event.target.value = "";
        }}
      />
      <button
        type="button"
        className="button button-small file-button"
        onClick={() => picker.current?.click()}
      >
        <Icon name="plus" size={16} /> Add files
      </button>
    </div>
  );
}
