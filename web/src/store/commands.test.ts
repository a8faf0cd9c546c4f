import { expect, it } from "vitest";
import type { CommandResponse } from "../api/shapes";
import { EMPTY } from "./state";
import { reduce } from "./store";

const response: CommandResponse = {
  commandId: "I",
  responseId: "R",
  visibility: "private",
  name: "weather",
  channelId: "C",
  serverId: "S",
  userId: "ana",
  botId: "B",
  username: "helper",
  content: "Sunny",
  messageId: null,
  createdAt: "2026-11-18T04:00:00.000Z",
};

it("keeps a private response once, until it is dismissed", () => {
  const event = { t: "command.responded" as const, d: response };
  const once = reduce(EMPTY, event);
  const twice = reduce(once, event);
  expect(twice.responses["C"]).toEqual([response]);
  const dismissed = reduce(twice, { t: "own.dismissed", d: { channelId: "C", responseId: "R" } });
  expect(dismissed.responses["C"]).toEqual([]);
});

it("keeps the newest responses of a channel only", () => {
  const all = Array.from({ length: 30 }, (_, number) => ({ ...response, responseId: `${number}` }));
  const state = all.reduce((before, d) => reduce(before, { t: "command.responded", d }), EMPTY);
  expect(state.responses["C"]?.map((each) => each.responseId)).toEqual(
    all.slice(-20).map((each) => each.responseId),
  );
});
