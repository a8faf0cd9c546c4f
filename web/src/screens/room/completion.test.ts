import { expect, it } from "vitest";
import type { Command } from "../../api/shapes";
import { calledCommand, completionAt } from "./completion";

const command = (name: string): Command => ({
  serverId: "S",
  name,
  description: `About ${name}`,
  options: [],
  botId: "B",
  createdAt: "2026-11-18T04:00:00.000Z",
  updatedAt: "2026-11-18T04:00:00.000Z",
});
const COMMANDS = [command("weather"), command("web"), command("poll")];

it("suggests the commands that start with the text", () => {
  const found = completionAt("/we", 3, [], COMMANDS);
  expect(found?.suggestions.map((each) => each.insert)).toEqual(["/weather ", "/web "]);
  expect([found?.from, found?.to]).toEqual([0, 3]);
});

it("suggests commands only at the start of the text", () => {
  expect(completionAt("and /we", 7, [], COMMANDS)).toBeNull();
  expect(completionAt("/weather Lis", 12, [], COMMANDS)).toBeNull();
  expect(completionAt("/nothing", 8, [], COMMANDS)).toBeNull();
});

it("recognizes the call of a known command", () => {
  expect(calledCommand("/weather Lisbon\nnow", COMMANDS)).toEqual({
    command: COMMANDS[0],
    rest: "Lisbon\nnow",
  });
  expect(calledCommand("/poll", COMMANDS)?.rest).toBe("");
});

it("treats everything else as a message", () => {
  for (const text of ["/unknown x", "a /weather", "/Weather x", "//weather", "/"])
    expect(calledCommand(text, COMMANDS)).toBeNull();
});
