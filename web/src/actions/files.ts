// Download URLs of files. Those that are needed at the same time are fetched in one request.
import { useEffect, useState } from "react";
import { request } from "../api/client";

interface Address {
  url: string;
  previewUrl: string | null;
  expiresAt: string;
}

interface Pending {
  resolve: (address: Address) => void;
  reject: (error: unknown) => void;
}

const MARGIN_MS = 20_000;
/** The limit of one request. */
const AT_ONCE = 50;
const known = new Map<string, Promise<Address>>();
const until = new Map<string, number>();
let pending = new Map<string, Pending>();

export function addressOf(fileId: string): Promise<Address> {
  const before = known.get(fileId);
  if (before !== undefined && (until.get(fileId) ?? Infinity) > Date.now() + MARGIN_MS) return before;
  const promise = new Promise<Address>((resolve, reject) => {
    if (pending.size === 0) setTimeout(() => void fetchAll());
    pending.set(fileId, { resolve, reject });
  });
  until.delete(fileId);
  known.set(fileId, promise);
  promise.then(
    (address) => until.set(fileId, Date.parse(address.expiresAt)),
    () => known.delete(fileId),
  );
  return promise;
}

async function fetchAll(): Promise<void> {
  const all = [...pending];
  pending = new Map();
  for (let start = 0; start < all.length; start += AT_ONCE)
    await fetchSome(all.slice(start, start + AT_ONCE));
}

async function fetchSome(some: readonly [string, Pending][]): Promise<void> {
  try {
    const ids = some.map(([fileId]) => fileId).join(",");
    const { items } = await request("get", "/v1/attachments", { query: { ids } });
    const found = new Map(items.map((each) => [each.fileId, each]));
    for (const [fileId, { resolve, reject }] of some) {
      const address = found.get(fileId);
      if (address === undefined) reject(new Error("This file is not available."));
      else resolve(address);
    }
  } catch (error) {
    for (const [, { reject }] of some) reject(error);
  }
}

/** The URL of a file; null while it loads, or "gone" if the file is not available. */
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

/** The file id in the avatar URL of a user or a community. */
export function fileIdOf(url: string | null | undefined): string | null {
  return /^\/v1\/attachments\/([^/?]+)$/.exec(url ?? "")?.[1] ?? null;
}
