// A picture to upload or remove: an avatar or a community icon.
import { useRef, useState } from "react";
import { Avatar } from "./Avatar";
import { toastError } from "./toasts";

interface PictureFieldProps {
  id: string;
  name: string;
  url: string | null;
  square?: boolean;
  onChoose: (file: File) => Promise<void>;
  onRemove: () => Promise<void>;
}

export function PictureField({ id, name, url, square = false, onChoose, onRemove }: PictureFieldProps) {
  const picker = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const run = (work: Promise<void>) => {
    setBusy(true);
    void work.catch(toastError).finally(() => setBusy(false));
  };
  return (
    <div className="picture-field">
      <Avatar id={id} name={name} url={url} size={72} square={square} />
      <input
        ref={picker}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif"
        hidden
        aria-label="Picture"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) run(onChoose(file));
          event.target.value = "";
        }}
      />
      <button
        type="button"
        className="button button-small"
        disabled={isBusy}
        onClick={() => picker.current?.click()}
      >
        {isBusy ? "Uploading…" : "Upload picture"}
      </button>
      {url !== null && (
        <button
          type="button"
          className="button button-small"
          disabled={isBusy}
          onClick={() => run(onRemove())}
        >
          Remove
        </button>
      )}
    </div>
  );
}
