import { expect, it } from "vitest";
import { demoUsers } from "./demo";

const page = (head: string) =>
  new DOMParser().parseFromString(`<html><head>${head}</head></html>`, "text/html");

it("reads the demo users from a demo page", () => {
  const content =
    "{&quot;people&quot;:[{&quot;name&quot;:&quot;Ana&quot;,&quot;username&quot;:&quot;ana&quot;}]}";
  expect(demoUsers(page(`<meta name="sobremesa-demo" content="${content}">`))).toEqual([
    { name: "Ana", username: "ana" },
  ]);
});

it("finds no demo users on other pages", () => {
  expect(demoUsers(page(""))).toEqual([]);
});
