// The files in the composer; each uploads as soon as it is chosen.
import { useCallback, useRef, useState } from "react";
import { upload } from "../../api/client";
import { errorText } from "../../api/problems";
import type { Attachment } from "../../api/shapes";

export interface Upload {
  key: string;
  name: string;
  preview: string | null;
  progress: number;
  error: string | null;
  done: Attachment | null;
}

const MOST = 10;

export function useUploads() {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const aborts = useRef(new Map<string, AbortController>());

  const change = useCallback((key: string, changes: Partial<Upload>) => {
    setUploads((all) => all.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  }, []);

  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of [...files].slice(0, MOST)) {
        const key = crypto.randomUUID();
        const abort = new AbortController();
        aborts.current.set(key, abort);
        const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : null;
        setUploads((all) =>
          [...all, { key, name: file.name, preview, progress: 0, error: null, done: null }].slice(0, MOST),
        );
        upload(file, "message", (progress) => change(key, { progress }), abort.signal).then(
          (got) => change(key, { progress: 1, done: received(got, file) }),
          (error: unknown) => change(key, { error: errorText(error) }),
        );
      }
    },
    [change],
  );

  const remove = useCallback((key: string) => {
    aborts.current.get(key)?.abort();
    setUploads((all) => {
      const preview = all.find((each) => each.key === key)?.preview;
      if (typeof preview === "string") URL.revokeObjectURL(preview);
      return all.filter((each) => each.key !== key);
    });
  }, []);

  const clear = useCallback(() => setUploads([]), []);
  return { uploads, add, remove, clear };
}

export function received(got: Awaited<ReturnType<typeof upload>>, file: File): Attachment {
  return {
    fileId: got.fileId,
    kind: got.kind ?? "manifest",
    name: got.name ?? file.name,
    mime: got.mime ?? file.type,
    size: got.size ?? file.size,
    ...(typeof got.width === "number" ? { w: got.width } : {}),
    ...(typeof got.height === "number" ? { h: got.height } : {}),
  };
}
