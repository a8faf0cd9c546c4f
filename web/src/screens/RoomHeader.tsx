// The header of a room: title, topic, mute, and buttons for the panels beside it.
import { use, useState, type ReactNode } from "react";
import { useLocation } from "wouter";
import { setMuted } from "../actions/room";
import type { RoomRef } from "../api/shapes";
import { Dialog } from "../view/Dialog";
import { Field } from "../view/Field";
import { Form } from "../view/Form";
import { IconButton } from "../view/Icon";
import { idAt } from "../view/times";
import { toastError } from "../view/toasts";
import { DrawerContext } from "./drawer";

export type Panel = "people" | "pins" | "project" | null;

interface RoomHeaderProps {
  room: RoomRef;
  path: string;
  face: ReactNode;
  title: string;
  topic?: string | null;
  muted: boolean;
  panel: Panel;
  onPanel: (panel: Panel) => void;
  children?: ReactNode;
}

export function RoomHeader({
  room,
  path,
  face,
  title,
  topic,
  muted,
  panel,
  onPanel,
  children,
}: RoomHeaderProps) {
  const [isPickingDate, setPickingDate] = useState(false);
  const toggle = (which: Panel) => () => onPanel(panel === which ? null : which);
  return (
    <header className="room-header">
      <DrawerButton />
      {face}
      <h2>{title}</h2>
      {topic !== undefined && topic !== null && topic !== "" && (
        <p className="topic" title={topic}>
          {topic}
        </p>
      )}
      <span className="spring" />
      {children}
      <IconButton
        icon={muted ? "bellOff" : "bell"}
        label={muted ? "Unmute" : "Mute"}
        aria-pressed={muted}
        onClick={() => void setMuted(room, !muted).catch(toastError)}
      />
      <IconButton
        icon="calendar"
        label="Jump to date"
        className="wide-only"
        onClick={() => setPickingDate(true)}
      />
      <IconButton
        icon="pin"
        label="Pinned messages"
        aria-pressed={panel === "pins"}
        onClick={toggle("pins")}
      />
      <IconButton icon="people" label="People" aria-pressed={panel === "people"} onClick={toggle("people")} />
      {isPickingDate && <JumpToDate path={path} onClose={() => setPickingDate(false)} />}
    </header>
  );
}

export function DrawerButton() {
  const openDrawer = use(DrawerContext);
  return <IconButton icon="menu" label="Open sidebar" className="drawer-button" onClick={openDrawer} />;
}

function JumpToDate({ path, onClose }: { path: string; onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Dialog title="Jump to date" onClose={onClose}>
      <Form
        submit="Jump"
        onSubmit={({ day = "" }) => {
          const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
          onClose();
          navigate(`${path}/${idAt(new Date(year, month - 1, date))}`);
          return Promise.resolve();
        }}
      >
        <Field label="Date" name="day" type="date" required autoFocus />
      </Form>
    </Dialog>
  );
}
