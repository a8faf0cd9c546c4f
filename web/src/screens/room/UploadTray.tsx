// The files above the composer, with their upload progress.
import { Icon, IconButton } from "../../view/Icon";
import type { Upload } from "./uploads";

export function UploadTray({
  uploads,
  onRemove,
}: {
  uploads: readonly Upload[];
  onRemove: (key: string) => void;
}) {
  if (uploads.length === 0) return null;
  return (
    <ul className="upload-tray" aria-label="Files to send">
      {uploads.map((each) => (
        <li key={each.key} className={each.error === null ? "upload" : "upload upload-failed"}>
          {each.preview === null ? <Icon name="file" size={28} /> : <img src={each.preview} alt="" />}
          <span className="file-name">{each.name}</span>
          {each.error !== null && <span role="alert">{each.error}</span>}
          {each.error === null && each.done === null && (
            <progress max={1} value={each.progress} aria-label={`Uploading ${each.name}`} />
          )}
          <IconButton
            icon="close"
            size={15}
            label={`Remove ${each.name}`}
            onClick={() => onRemove(each.key)}
          />
        </li>
      ))}
    </ul>
  );
}
