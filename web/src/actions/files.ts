// Files: where their bytes can be fetched just now. Addresses that are wanted in the same moment are asked for together.
import { useEffect, useState } from "react";
import { request } from "../api/client";

interface Address {
  url: string;
  previewUrl: string | null;
  expiresAt: string;
}

interface Wanted {
  resolve: (address: Address) => void;
  reject: (error: unknown) => void;
}

const MARGIN_MS = 20_000;
/** As many as one request takes. */
const AT_ONCE = 50;
const known = new Map<string, Promise<Address>>();
const until = new Map<string, number>();
let wanted = new Map<string, Wanted>();

export function addressOf(fileId: string): Promise<Address> {
  const before = known.get(fileId);
  if (before !== undefined && (until.get(fileId) ?? Infinity) > Date.now() + MARGIN_MS) return before;
  const asked = new Promise<Address>((resolve, reject) => {
    if (wanted.size === 0) setTimeout(() => void askForAll());
    wanted.set(fileId, { resolve, reject });
  });
  until.delete(fileId);
  known.set(fileId, asked);
  asked.then(
    (address) => until.set(fileId, Date.parse(address.expiresAt)),
    () => known.delete(fileId),
  );
  return asked;
}

async function askForAll(): Promise<void> {
  const all = [...wanted];
  wanted = new Map();
  for (let start = 0; start < all.length; start += AT_ONCE) await ask(all.slice(start, start + AT_ONCE));
}

async function ask(some: readonly [string, Wanted][]): Promise<void> {
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

/** The address of a file, or null while it is not known, or "gone" if it cannot be had. */
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
