import { expect, test } from "vitest";
import { internalPath } from "../markdown/Markdown";
import { baseOf, gatewayUrl, pathInside } from "./base";

function page(head: string): Document {
  return new DOMParser().parseFromString(`<html><head>${head}</head></html>`, "text/html");
}

test("the base is what the server wrote into the page, and empty at the root", () => {
  expect(baseOf(page('<meta name="sobremesa-base" content="/chat">'))).toBe("/chat");
  expect(baseOf(page(""))).toBe("");
});

test("the gateway is at the same host, under the base", () => {
  expect(gatewayUrl({ protocol: "https:", host: "example.com" }, "/chat")).toBe(
    "wss://example.com/chat/v1/gateway",
  );
  expect(gatewayUrl({ protocol: "http:", host: "127.0.0.1:8080" }, "")).toBe(
    "ws://127.0.0.1:8080/v1/gateway",
  );
});

test("paths of another application at the same origin are not paths of the client", () => {
  expect(pathInside("/chat/c/1", "/chat")).toBe("/c/1");
  expect(pathInside("/chat", "/chat")).toBe("/");
  expect(pathInside("/chatter/c/1", "/chat")).toBe(null);
  expect(pathInside("/c/1", "/chat")).toBe(null);
  expect(pathInside("/c/1", "")).toBe("/c/1");
});

test("links to pages of the client under a base stay inside of the client", () => {
  expect(internalPath(`${location.origin}/chat/c/1?x=1#m`, "/chat")).toBe("/c/1?x=1#m");
  expect(internalPath(`${location.origin}/c/1`, "/chat")).toBe(null);
  expect(internalPath(`${location.origin}/c/1`)).toBe("/c/1");
});
