import { expect, it } from "vitest";
import { demoUsers } from "./demo";

const page = (head: string) =>
  new DOMParser().parseFromString(`<html><head>${head}</head></html>`, "text/html");

it("a page of the demo has its people", () => {
  const content =
    "{&quot;people&quot;:[{&quot;name&quot;:&quot;Ana&quot;,&quot;username&quot;:&quot;ana&quot;}]}";
  expect(demoUsers(page(`<meta name="sobremesa-demo" content="${content}">`))).toEqual([
    { name: "Ana", username: "ana" },
  ]);
});

it("any other page has none", () => {
  expect(demoUsers(page(""))).toEqual([]);
});
