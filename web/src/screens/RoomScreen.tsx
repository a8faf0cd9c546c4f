// The screen of a room of any kind: header, messages, and the panels beside them.
import { useMemo, useState, type ComponentProps, type ReactNode } from "react";
import type { Person } from "../api/shapes";
import type { Names } from "../markdown/Markdown";
import { useStore } from "../store/store";
import { IconButton } from "../view/Icon";
import { LoadingScreen } from "./LoadingScreen";
import { PinsPanel } from "./PinsPanel";
import { RoomHeader, type Panel } from "./RoomHeader";
import { RoomPane } from "./room/RoomPane";
import { RoomSkeleton } from "./room/RoomSkeleton";

const WIDE = 1180;

interface RoomScreenProps extends ComponentProps<typeof RoomPane> {
  face: ReactNode;
  name: string;
  topic?: string | null;
  muted: boolean;
  /** More buttons in the header. */
  menu?: ReactNode;
  /** The panel that a wide window shows at first. */
  firstPanel?: Panel;
  people: readonly Person[];
  peoplePanel: (onClose: () => void) => ReactNode;
  projectPanel?: (onClose: () => void) => ReactNode;
}

export function RoomScreen({
  face,
  name,
  topic = null,
  muted,
  menu,
  firstPanel = null,
  peoplePanel,
  projectPanel,
  ...pane
}: RoomScreenProps) {
  const { room, path, canPin, names } = pane;
  const [panel, setPanel] = useState<Panel>(() => (innerWidth >= WIDE ? firstPanel : null));
  const close = () => setPanel(null);
  return (
    <div className="screen">
      <RoomHeader
        room={room}
        path={path}
        face={face}
        title={name}
        topic={topic}
        muted={muted}
        panel={panel}
        onPanel={setPanel}
      >
        {menu}
        {projectPanel !== undefined && (
          <IconButton
            icon="board"
            label="Project"
            aria-pressed={panel === "project"}
            onClick={() => setPanel(panel === "project" ? null : "project")}
          />
        )}
      </RoomHeader>
      <div className="screen-body">
        <RoomPane key={room.id} {...pane} />
        {panel === "people" && peoplePanel(close)}
        {panel === "pins" && (
          <PinsPanel room={room} path={path} canPin={canPin} names={names} onClose={close} />
        )}
        {panel === "project" && projectPanel?.(close)}
      </div>
    </div>
  );
}

export function LoadingRoom() {
  return (
    <LoadingScreen>
      <RoomSkeleton count={9} />
    </LoadingScreen>
  );
}

const NO_CHANNELS: ReadonlyMap<string, string> = new Map();

/** What mentions in messages refer to: the people of the room, and the paths of channels by name. */
export function useNames(people: readonly Person[], channels: ReadonlyMap<string, string> = NO_CHANNELS) {
  const me = useStore((state) => state.me?.username ?? "");
  return useMemo<Names>(() => {
    const ids = new Map(people.map((each) => [each.username.toLowerCase(), each.userId]));
    return {
      me,
      personOf: (name) => ids.get(name.toLowerCase()) ?? null,
      channelAt: (name) => channels.get(name) ?? null,
    };
  }, [people, channels, me]);
}
