// Who is in a thread and on which side; taking people in and out, and keeping somebody from speaking for a while.
import { useState } from "react";
import { useLocation } from "wouter";
import { findUser } from "../../actions/conversations";
import { block, takeIn, takeOut } from "../../actions/threads";
import type { Thread, ThreadRole } from "../../api/shapes";
import type { Seat } from "../../store/threads";
import { useStore } from "../../store/store";
import { Avatar } from "../../view/Avatar";
import { Dialog } from "../../view/Dialog";
import { Field, Form } from "../../view/Form";
import { MenuButton, type MenuItem } from "../../view/Menu";
import { Select } from "../../view/TextField";
import { messageTime } from "../../view/times";
import { tellFailure } from "../../view/toasts";
import { SidePanel } from "../SidePanel";
import { SIDES, useNow, useSeats } from "./useThread";

const HOUR = 3_600_000;
const WHILES: readonly { label: string; ms: number }[] = [
  { label: "for an hour", ms: HOUR },
  { label: "for a day", ms: 24 * HOUR },
  { label: "for a week", ms: 7 * 24 * HOUR },
];

export function SeatsPanel({ thread, onClose }: { thread: Thread; onClose: () => void }) {
  const seats = useSeats(thread.threadId);
  const me = useStore((state) => state.me?.userId ?? "");
  const [isLeaving, setLeaving] = useState(false);
  const [, navigate] = useLocation();
  const isParty = me === thread.buyerUserId || me === thread.sellerUserId;
  const sides: ThreadRole[] =
    thread.roleContext === "admin"
      ? ["buyer", "seller", "admin"]
      : thread.roleContext === null
        ? []
        : [thread.roleContext];
  return (
    <SidePanel title="People" onClose={onClose}>
      <ul className="people">
        {Object.values(seats).map((seat) => (
          <Person key={seat.userId} seat={seat} thread={thread} me={me} />
        ))}
        {Object.keys(seats).length === 0 && <li className="skeleton skeleton-pin" />}
      </ul>
      {sides.length > 0 && (
        <Form
          submit="Take in"
          onSubmit={async ({ username = "", side = sides[0] ?? "buyer" }) => {
            const user = await findUser(username);
            if (user === null) throw new Error(`Nobody is called “${username}”.`);
            await takeIn(thread.threadId, user.userId, side as ThreadRole);
          }}
        >
          <Field
            label="Take somebody in"
            name="username"
            placeholder="User name"
            required
            autoComplete="off"
          />
          {sides.length > 1 ? (
            <Select label="On which side" name="side">
              {sides.map((each) => (
                <option key={each} value={each}>
                  {SIDES[each]}
                </option>
              ))}
            </Select>
          ) : (
            <p className="note">On your side, the {SIDES[sides[0] ?? "buyer"].toLowerCase()}’s.</p>
          )}
        </Form>
      )}
      {!isParty && thread.roleContext !== null && (
        <button type="button" className="button button-danger" onClick={() => setLeaving(true)}>
          Leave the thread
        </button>
      )}
      {isLeaving && (
        <Dialog title="Leave the thread?" onClose={() => setLeaving(false)}>
          <p>You will hear nothing of it any more, unless somebody takes you in again.</p>
          <Form
            submit="Leave"
            danger
            onSubmit={async () => {
              await takeOut(thread.threadId, me);
              navigate("/t");
            }}
          />
        </Dialog>
      )}
    </SidePanel>
  );
}

function Person({ seat, thread, me }: { seat: Seat; thread: Thread; me: string }) {
  const now = useNow(seat.blockedUntil);
  const blocked =
    seat.blockedUntil !== null && Date.parse(seat.blockedUntil) > now ? seat.blockedUntil : null;
  return (
    <li className="person">
      <Avatar id={seat.userId} name={seat.username} url={seat.avatarUrl} size={32} presence />
      <span className="room-name">
        {seat.username}
        <span className="note person-note">
          {blocked === null ? SIDES[seat.roleContext] : `Silent until ${messageTime(blocked)}`}
        </span>
      </span>
      <MenuButton
        label={`What to do with ${seat.username}`}
        items={choices(seat, thread, me, blocked !== null)}
      />
    </li>
  );
}

function choices(seat: Seat, thread: Thread, me: string, isBlocked: boolean): MenuItem[] {
  if (seat.userId === me || thread.roleContext === null) return [];
  const isAdmin = thread.roleContext === "admin";
  const { threadId } = thread;
  const items: MenuItem[] = [];
  if (isAdmin || (seat.roleContext !== "admin" && seat.roleContext !== thread.roleContext)) {
    for (const each of WHILES)
      items.push({
        label: `Let them not speak ${each.label}`,
        icon: "bellOff",
        onChoose: () =>
          void block(threadId, seat.userId, new Date(Date.now() + each.ms).toISOString()).catch(tellFailure),
      });
    if (isBlocked)
      items.push({
        label: "Let them speak again",
        icon: "chat",
        onChoose: () => void block(threadId, seat.userId, null).catch(tellFailure),
      });
  }
  const isParty = seat.userId === thread.buyerUserId || seat.userId === thread.sellerUserId;
  if (isAdmin && !isParty)
    items.push({
      label: "Take out",
      icon: "leave",
      danger: true,
      onChoose: () => void takeOut(threadId, seat.userId).catch(tellFailure),
    });
  return items;
}
