// The page of an invite. A signed-out visitor signs in first and then returns here.
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { getInvite, redeemInvite } from "../actions/communities";
import { Problem, errorText } from "../api/problems";
import { useStore } from "../store/store";
import { Avatar } from "../view/Avatar";
import { toastError } from "../view/toasts";
import { SignedOutPage } from "./SignedOutPage";

type Target = Awaited<ReturnType<typeof getInvite>>;

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
    if (isSignedIn) getInvite(code).then(setTarget, setError);
  }, [code, isSignedIn]);

  if (!isSignedIn)
    return (
      <SignedOutPage title="You've been invited">
        <p>Sign in or create an account to view this invite.</p>
        <div className="signed-out-buttons">
          <Link className="button button-primary" href={`/register?to=/invite/${encodeURIComponent(code)}`}>
            Create account
          </Link>
          <Link className="button" href={`/signin?to=/invite/${encodeURIComponent(code)}`}>
            Sign in
          </Link>
        </div>
      </SignedOutPage>
    );
  if (error !== null)
    return (
      <SignedOutPage title="Invite invalid or expired">
        <p>
          {error instanceof Problem && error.status === 404
            ? "It was used up, revoked, or has expired. Ask for a new one."
            : errorText(error)}
        </p>
        <Link className="button" href="/">
          Back to home
        </Link>
      </SignedOutPage>
    );
  if (target === null)
    return (
      <SignedOutPage title="You've been invited">
        <div className="skeleton invite-skeleton" />
      </SignedOutPage>
    );
  const destination = destinationOf(target);
  const join = () => {
    setBusy(true);
    redeemInvite(code)
      .then(navigate, (failure: unknown) => {
        if (failure instanceof Problem && failure.status === 409) navigate(destination.path);
        else toastError(failure);
      })
      .finally(() => setBusy(false));
  };
  return (
    <SignedOutPage title="You've been invited">
      <div className="invite-target">
        <Avatar id={destination.id} name={destination.name} url={destination.icon} size={64} square />
        <strong>{destination.name}</strong>
      </div>
      {already ? (
        <Link className="button button-primary" href={destination.path}>
          Open {destination.name}
        </Link>
      ) : (
        <button type="button" className="button button-primary" disabled={isBusy} onClick={join}>
          Join {destination.name}
        </button>
      )}
      <p className="signed-out-links">
        <Link href="/">Not now</Link>
      </p>
    </SignedOutPage>
  );
}

function destinationOf(target: Target) {
  if (target.kind === "workspace") {
    const { workspaceId: id, name } = target.workspace;
    return { id, name, icon: null, path: `/w/${id}` };
  }
  const { serverId: id, name, iconUrl: icon } = target.server;
  return { id, name, icon, path: `/c/${id}` };
}
