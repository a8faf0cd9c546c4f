// The sidebar of workspaces.
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { createWorkspace } from "../../actions/workspaces";
import { sameList, useStore } from "../../store/store";
import { workspacesOf } from "../../store/workspaces";
import { Avatar } from "../../view/Avatar";
import { Dialog } from "../../view/Dialog";
import { Field } from "../../view/Field";
import { Form } from "../../view/Form";
import { IconButton } from "../../view/Icon";
import { ListSkeleton } from "../ListSkeleton";
import type { Params } from "../routes";

export function WorkspaceList({ params }: { params: Params }) {
  const workspaces = useStore(workspacesOf, sameList);
  const isReady = useStore((state) => state.isReady);
  const [isCreating, setCreating] = useState(false);
  if (!isReady) return <ListSkeleton />;
  return (
    <nav className="sidebar-body" aria-label="Workspaces">
      <header className="sidebar-head">
        <h1>Workspaces</h1>
        <IconButton icon="plus" label="New workspace" onClick={() => setCreating(true)} />
      </header>
      {workspaces.length === 0 && <p className="note sidebar-note">No workspaces yet.</p>}
      <ul className="rooms">
        {workspaces.map((each) => (
          <li key={each.workspaceId}>
            <Link
              href={`/w/${each.workspaceId}`}
              className="room-link"
              aria-current={each.workspaceId === params["workspaceId"] ? "page" : undefined}
            >
              <Avatar id={each.workspaceId} name={each.name} url={null} size={26} square />
              <span className="room-name">{each.name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {isCreating && <NewWorkspace onClose={() => setCreating(false)} />}
    </nav>
  );
}

export function NewWorkspace({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Dialog title="New workspace" onClose={onClose}>
      <Form
        submit="Create"
        onSubmit={async ({ name = "" }) => {
          const workspaceId = await createWorkspace(name.trim());
          onClose();
          navigate(`/w/${workspaceId}`);
        }}
      >
        <Field label="Name" name="name" maxLength={100} required autoFocus autoComplete="off" />
      </Form>
    </Dialog>
  );
}
