// A workspace: its items, who is in it, and its settings.
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { loadContents } from "../../actions/workspaces";
import { wordsFor } from "../../api/problems";
import type { Workspace } from "../../api/shapes";
import { useStore } from "../../store/store";
import type { WorkspaceContents } from "../../store/workspaces";
import { Avatar } from "../../view/Avatar";
import { NotHere } from "../NotHere";
import type { Params } from "../places";
import { DrawerButton } from "../RoomHeader";
import { ItemsPart } from "./ItemsPart";
import { MembersPart } from "./MembersPart";
import { SettingsPart } from "./SettingsPart";
import { NewWorkspace } from "./WorkspaceList";

const PARTS = [
  { part: "", title: "Items" },
  { part: "people", title: "People" },
  { part: "settings", title: "Settings" },
] as const;

export default function WorkspaceScreen({ params }: { params: Params }) {
  const { workspaceId, part = "" } = params;
  const isReady = useStore((state) => state.isReady);
  const workspace = useStore((state) => state.workspaces[workspaceId ?? ""]);
  if (workspaceId === undefined) return <Landing />;
  if (workspace !== undefined) return <Open key={workspaceId} workspace={workspace} part={part} />;
  if (isReady)
    return (
      <NotHere
        title="You're not a member of this workspace"
        words="You left it, or were removed from it, or the address is wrong."
      />
    );
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
      </header>
      <BoardSkeleton />
    </div>
  );
}

function Landing() {
  const [isMaking, setMaking] = useState(false);
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
        <h2>Workspaces</h2>
      </header>
      <div className="empty">
        <h2>Things to do together</h2>
        <p>A workspace keeps items with a status, and settings that everybody in it shares.</p>
        <button type="button" className="button button-primary" onClick={() => setMaking(true)}>
          Make a workspace
        </button>
      </div>
      {isMaking && <NewWorkspace onClose={() => setMaking(false)} />}
    </div>
  );
}

function Open({ workspace, part }: { workspace: Workspace; part: string }) {
  const { workspaceId } = workspace;
  const contents = useStore((state) => state.contents[workspaceId]);
  const snapshots = useStore((state) => state.snapshots);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    loadContents(workspaceId).then(() => setError(null), setError);
  }, [workspaceId, snapshots]);
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
        <span className="wide-only">
          <Avatar id={workspaceId} name={workspace.name} url={null} size={28} square />
        </span>
        <h2>{workspace.name}</h2>
        <span className="spring" />
        <nav className="segments" aria-label="Parts of the workspace">
          {PARTS.map((each) => (
            <Link
              key={each.part}
              href={`/w/${workspaceId}${each.part === "" ? "" : `/${each.part}`}`}
              aria-current={each.part === part ? "page" : undefined}
            >
              {each.title}
            </Link>
          ))}
        </nav>
      </header>
      {contents === undefined && error !== null && (
        <div className="empty" role="alert">
          <h2>This workspace could not be opened</h2>
          <p>{wordsFor(error)}</p>
        </div>
      )}
      {contents === undefined && error === null && <BoardSkeleton />}
      {contents !== undefined && <Part workspace={workspace} contents={contents} part={part} />}
    </div>
  );
}

function Part({
  workspace,
  contents,
  part,
}: {
  workspace: Workspace;
  contents: WorkspaceContents;
  part: string;
}) {
  if (part === "people") return <MembersPart workspace={workspace} members={contents.members} />;
  if (part === "settings") return <SettingsPart workspace={workspace} settings={contents.settings} />;
  const { items, settings } = contents;
  return <ItemsPart workspaceId={workspace.workspaceId} items={items} settings={settings} />;
}

function BoardSkeleton() {
  return (
    <div className="board" aria-hidden="true">
      {[3, 2, 4].map((count, column) => (
        <div key={column} className="column">
          {Array.from({ length: count }, (_, index) => (
            <div key={index} className="skeleton skeleton-item" />
          ))}
        </div>
      ))}
    </div>
  );
}
