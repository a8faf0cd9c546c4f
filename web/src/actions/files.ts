// Files: where their bytes can be fetched just now. An address is good for minutes, so it is asked for when needed.
import { useEffect, useState } from "react";
import { request } from "../api/client";

interface Address {
  url: string;
  previewUrl: string | null;
  expiresAt: string;
}

const MARGIN_MS = 20_000;
const known = new Map<string, Promise<Address>>();
const until = new Map<string, number>();

export function addressOf(fileId: string): Promise<Address> {
  const before = known.get(fileId);
  if (before !== undefined && (until.get(fileId) ?? Infinity) > Date.now() + MARGIN_MS) return before;
  const asked = request("get", "/v1/attachments/{fileId}", { path: { fileId } });
  until.delete(fileId);
  known.set(fileId, asked);
  asked.then(
    (address) => until.set(fileId, Date.parse(address.expiresAt)),
    () => known.delete(fileId),
  );
  return asked;
}

/** The address of a file, or null while it is not known, or "gone" if nobody gives it. */
export function useAddress(fileId: string | null): Address | "gone" | null {
  const [address, setAddress] = useState<{ fileId: string; found: Address | "gone" } | null>(null);
  useEffect(() => {
    if (fileId === null) return;
    let isCurrent = true;
    addressOf(fileId).then(
      (found) => isCurrent && setAddress({ fileId, found }),
      () => isCurrent && setAddress({ fileId, found: "gone" }),
    );
    return () => {
      isCurrent = false;
    };
  }, [fileId]);
  return address !== null && address.fileId === fileId ? address.found : null;
}

/** The file behind an address of ours, as people and servers have them for their pictures. */
export function fileIdOf(url: string | null | undefined): string | null {
  return /^\/v1\/attachments\/([^/?]+)$/.exec(url ?? "")?.[1] ?? null;
}
