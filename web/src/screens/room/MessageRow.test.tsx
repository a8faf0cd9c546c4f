import { afterEach, expect, it } from "vitest";
import type { Message } from "../../api/shapes";
import { render } from "../../view/testing";
import { MessageRow } from "./MessageRow";
import { RoomContext, type RoomTools } from "./RoomContext";
import { rowsOf } from "./rows";

afterEach(() => document.body.replaceChildren());

const nothing = () => undefined;
const tools: RoomTools = {
  room: { kind: "thread", id: "T" },
  me: "ana",
  names: { people: {}, me: "ana" } as unknown as RoomTools["names"],
  canModerate: true,
  canPin: true,
  replyTo: nothing,
  startEdit: nothing,
  jumpTo: nothing,
  linkTo: () => "/",
  openProfile: nothing,
  focusMessage: nothing,
};

function message(messageId: string, type: "text" | "system", authorId = "ben"): Message {
  return {
    messageId,
    roomId: "T",
    roomKind: "thread",
    type,
    authorId,
    username: authorId,
    displayName: null,
    content: type === "system" ? "Joined the thread." : "hello",
    edited: false,
    editedAt: null,
    deleted: false,
    replyTo: null,
    attachments: [],
    reactions: [],
    mentions: [],
    action: null,
    flags: null,
    nsfwBand: null,
    data: null,
    createdAt: "2026-11-17T12:00:00.000Z",
  };
}

it("renders a system notice as one line without avatar and toolbar", () => {
  const { container } = render(
    <RoomContext value={tools}>
      <MessageRow
        message={message("01", "system")}
        isHead
        isEdited={false}
        isMarked={false}
        isPinned={false}
        isCurrent
        seenBy={[]}
      />
    </RoomContext>,
  );
  expect(container.querySelector(".notice")?.textContent).toMatch(/^ben · Joined the thread\. /);
  expect(container.querySelectorAll("button, .message-face, [role=toolbar]")).toHaveLength(0);
});

it("never puts the unread line above a notice, and shows the author after one", () => {
  const messages = [message("01", "text"), message("02", "system"), message("03", "text")];
  const log = { messages, hasOlder: false, hasNewer: false } as unknown as Parameters<typeof rowsOf>[0];
  const rows = rowsOf(log, [], "ana", "01", []);
  expect(rows.map((row) => (row.kind === "message" ? row.message.messageId : row.kind))).toEqual([
    "beginning",
    "day",
    "01",
    "02",
    "new",
    "03",
  ]);
  expect(rows.at(-1)).toMatchObject({ isHead: true });
});
