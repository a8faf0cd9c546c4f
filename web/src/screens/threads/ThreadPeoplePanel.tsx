// The participants of a thread with their sides: add, remove and mute them.
import { useLocation } from "wouter";
import { requireUser } from "../../actions/conversations";
import { addToThread, muteInThread, removeFromThread } from "../../actions/threads";
import type { Thread, ThreadRole } from "../../api/shapes";
import type { Seat } from "../../store/threads";
import { useStore } from "../../store/store";
import { Avatar } from "../../view/Avatar";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { MenuButton, type MenuItem } from "../../view/Menu";
import { messageTime } from "../../view/times";
import { toastError } from "../../view/toasts";
import { LeaveButton } from "../LeaveButton";
import { SidePanel } from "../SidePanel";
import { SIDES, useNow, useSeats } from "./useThread";
import { secondaryName, shownName } from "../../view/names";

const HOUR = 3_600_000;
const MUTE_DURATIONS: readonly { label: string; ms: number }[] = [
  { label: "1 hour", ms: HOUR },
  { label: "1 day", ms: 24 * HOUR },
  { label: "1 week", ms: 7 * 24 * HOUR },
];

export function ThreadPeoplePanel({ thread, onClose }: { thread: Thread; onClose: () => void }) {
  const seats = useSeats(thread.threadId);
  const me = useStore((state) => state.me?.userId ?? "");
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
          submit="Add"
          onSubmit={async ({ username = "", side = sides[0] ?? "buyer" }) => {
            const user = await requireUser(username);
            await addToThread(thread.threadId, user.userId, side as ThreadRole);
          }}
        >
          <Field label="Add person" name="username" placeholder="Username" required autoComplete="off" />
          {sides.length > 1 ? (
            <Field as="select" label="Side" name="side">
              {sides.map((each) => (
                <option key={each} value={each}>
                  {SIDES[each]}
                </option>
              ))}
            </Field>
          ) : (
            <p className="note">They'll join on the {SIDES[sides[0] ?? "buyer"].toLowerCase()} side.</p>
          )}
        </Form>
      )}
      {!isParty && thread.roleContext !== null && (
        <LeaveButton
          what="thread"
          onLeave={async () => {
            await removeFromThread(thread.threadId, me);
            navigate("/t");
          }}
        />
      )}
    </SidePanel>
  );
}

function Person({ seat, thread, me }: { seat: Seat; thread: Thread; me: string }) {
  const now = useNow(seat.blockedUntil);
  const mutedUntil =
    seat.blockedUntil !== null && Date.parse(seat.blockedUntil) > now ? seat.blockedUntil : null;
  return (
    <li className="person">
      <Avatar id={seat.userId} name={shownName(seat)} url={seat.avatarUrl} size={32} presence />
      <span className="room-name" title={secondaryName(seat)}>
        {shownName(seat)}
        <span className="note person-note">
          {mutedUntil === null ? SIDES[seat.roleContext] : `Muted until ${messageTime(mutedUntil)}`}
        </span>
      </span>
      <MenuButton
        label={`Actions for ${shownName(seat)}`}
        items={choices(seat, thread, me, mutedUntil !== null)}
      />
    </li>
  );
}

function choices(seat: Seat, thread: Thread, me: string, isMuted: boolean): MenuItem[] {
  if (seat.userId === me || thread.roleContext === null) return [];
  const isAdmin = thread.roleContext === "admin";
  const { threadId } = thread;
  const items: MenuItem[] = [];
  if (isAdmin || (seat.roleContext !== "admin" && seat.roleContext !== thread.roleContext)) {
    for (const each of MUTE_DURATIONS)
      items.push({
        label: `Mute for ${each.label}`,
        icon: "bellOff",
        onChoose: () =>
          void muteInThread(threadId, seat.userId, new Date(Date.now() + each.ms).toISOString()).catch(
            toastError,
          ),
      });
    if (isMuted)
      items.push({
        label: "Unmute",
        icon: "chat",
        onChoose: () => void muteInThread(threadId, seat.userId, null).catch(toastError),
      });
  }
  const isParty = seat.userId === thread.buyerUserId || seat.userId === thread.sellerUserId;
  if (isAdmin && !isParty)
    items.push({
      label: "Remove",
      icon: "leave",
      danger: true,
      onChoose: () => void removeFromThread(threadId, seat.userId).catch(toastError),
    });
  return items;
}
