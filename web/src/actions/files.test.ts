import { beforeEach, expect, it, vi } from "vitest";
import { startSession } from "../api/session";
import type { SignedIn } from "../api/shapes";
import { addressOf } from "./files";

const requests: string[] = [];

beforeEach(() => {
  requests.length = 0;
  startSession({ accessToken: "t", refreshToken: "r", expiresIn: 600, user: {} } as SignedIn);
  vi.stubGlobal("fetch", (url: string) => {
    requests.push(url);
    const ids = new URL(url, location.origin).searchParams.get("ids")?.split(",") ?? [];
    const items = ids
      .filter((fileId) => !fileId.startsWith("gone"))
      .map((fileId) => ({
        fileId,
        url: `/of/${fileId}`,
        previewUrl: null,
        expiresAt: "2999-01-01T00:00:00Z",
      }));
    return Promise.resolve(new Response(JSON.stringify({ items, next: null })));
  });
});

it("fetches URLs that are needed together in one request, and once", async () => {
  const ids = ["a1", "a2", "a3", "a1"];
  const found = await Promise.all(ids.map(addressOf));
  expect(found.map((each) => each.url)).toEqual(["/of/a1", "/of/a2", "/of/a3", "/of/a1"]);
  await addressOf("a2");
  expect(requests).toHaveLength(1);
});

it("rejects an unavailable file, and resolves the others", async () => {
  const [gone, there] = await Promise.allSettled([addressOf("gone1"), addressOf("b1")]);
  expect([gone.status, there.status]).toEqual(["rejected", "fulfilled"]);
});

it("splits more files than the limit into several requests", async () => {
  await Promise.all(Array.from({ length: 120 }, (_, index) => addressOf(`c${index}`)));
  expect(requests).toHaveLength(3);
});
