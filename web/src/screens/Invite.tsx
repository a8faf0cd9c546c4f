// An invite: where it leads, and a button to go there. Outside, it first leads through the door and back.
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { lookAtInvite, redeemInvite } from "../actions/communities";
import { Problem, wordsFor } from "../api/problems";
import { useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { tellFailure } from "../view/toasts";
import { Door } from "./Door";

type Target = Awaited<ReturnType<typeof lookAtInvite>>;

export function Invite({ code }: { code: string }) {
  const me = useStore((state) => state.me);
  const isSignedIn = me !== null;
  const [target, setTarget] = useState<Target | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const [, navigate] = useLocation();
  const already = useStore((state) =>
    target?.kind === "workspace"
      ? target.workspace.workspaceId in state.workspaces
      : target !== null && target.server.serverId in state.servers,
  );
  useEffect(() => {
    if (isSignedIn) lookAtInvite(code).then(setTarget, setError);
  }, [code, isSignedIn]);

  if (!isSignedIn)
    return (
      <Door title="You are invited">
        <p>Sign in or create an account to view this invite.</p>
        <div className="door-buttons">
          <Link className="button button-primary" href={`/register?to=/invite/${encodeURIComponent(code)}`}>
            Create account
          </Link>
          <Link className="button" href={`/signin?to=/invite/${encodeURIComponent(code)}`}>
            Sign in
          </Link>
        </div>
      </Door>
    );
  if (error !== null)
    return (
      <Door title="Invite invalid or expired">
        <p>
          {error instanceof Problem && error.status === 404
            ? "It was used up, revoked, or has expired. Ask for a new one."
            : wordsFor(error)}
        </p>
        <Link className="button" href="/">
          Back to home
        </Link>
      </Door>
    );
  if (target === null)
    return (
      <Door title="You are invited">
        <div className="skeleton invite-skeleton" />
      </Door>
    );
  const place = placeOf(target);
  const join = () => {
    setBusy(true);
    redeemInvite(code)
      .then(navigate, (failure: unknown) => {
        if (failure instanceof Problem && failure.status === 409) navigate(place.path);
        else tellFailure(failure);
      })
      .finally(() => setBusy(false));
  };
  return (
    <Door title="You are invited">
      <div className="invite-place">
        <Avatar id={place.id} name={place.name} url={place.icon} size={64} square />
        <strong>{place.name}</strong>
      </div>
      {already ? (
        <Link className="button button-primary" href={place.path}>
          Open {place.name}
        </Link>
      ) : (
        <button type="button" className="button button-primary" disabled={isBusy} onClick={join}>
          Join {place.name}
        </button>
      )}
      <p className="door-links">
        <Link href="/">Not now</Link>
      </p>
    </Door>
  );
}

function placeOf(target: Target) {
  if (target.kind === "workspace") {
    const { workspaceId: id, name } = target.workspace;
    return { id, name, icon: null, path: `/w/${id}` };
  }
  const { serverId: id, name, iconUrl: icon } = target.server;
  return { id, name, icon, path: `/c/${id}` };
}
