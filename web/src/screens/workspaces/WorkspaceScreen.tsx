// A workspace: its items, members and settings.
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { loadContents } from "../../actions/workspaces";
import { errorText } from "../../api/problems";
import type { Workspace } from "../../api/shapes";
import { useStore } from "../../store/store";
import type { WorkspaceContents } from "../../store/workspaces";
import { Avatar } from "../../view/Avatar";
import { LoadingScreen } from "../LoadingScreen";
import { NotFound } from "../NotFound";
import type { Params } from "../routes";
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
      <NotFound
        title="You're not a member of this workspace"
        description="You left or were removed, or the link is wrong."
      />
    );
  return (
    <LoadingScreen>
      <BoardSkeleton />
    </LoadingScreen>
  );
}

function Landing() {
  const [isCreating, setCreating] = useState(false);
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
        <h2>Workspaces</h2>
      </header>
      <div className="empty">
        <h2>Organize work together</h2>
        <p>A workspace is a shared board of items with statuses and settings.</p>
        <button type="button" className="button button-primary" onClick={() => setCreating(true)}>
          Create workspace
        </button>
      </div>
      {isCreating && <NewWorkspace onClose={() => setCreating(false)} />}
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
        <nav className="segments" aria-label="Workspace sections">
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
          <h2>Couldn't load this workspace</h2>
          <p>{errorText(error)}</p>
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
