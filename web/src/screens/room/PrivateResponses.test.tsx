import { act } from "react";
import { afterEach, expect, it } from "vitest";
import { store } from "../../store/store";
import { render } from "../../view/testing";
import { PrivateResponses } from "./PrivateResponses";
import { RoomContext, type RoomTools } from "./RoomContext";

afterEach(() => document.body.replaceChildren());

it("shows a private response as visible to the reader only, and dismisses it", () => {
  const room = { kind: "channel" as const, id: "C" };
  const tools = {
    room,
    me: "ana",
    names: { people: new Set(), channels: new Map() },
  } as unknown as RoomTools;
  const { container } = render(
    <RoomContext value={tools}>
      <PrivateResponses room={room} />
    </RoomContext>,
  );
  expect(container.textContent).toBe("");
  act(() =>
    store.apply({
      t: "command.responded",
      d: {
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
      },
    }),
  );
  expect(container.textContent).toContain("helper /weather · Only visible to you");
  expect(container.textContent).toContain("Sunny");
  act(() => container.querySelector("button")?.click());
  expect(container.textContent).toBe("");
});
