// The moderation queue: reported and flagged messages, to approve or block.
import { useCallback, useEffect, useState } from "react";
import { listCases } from "../../actions/moderation";
import { errorText } from "../../api/problems";
import type { Case, CaseState } from "../../api/shapes";
import { useStore } from "../../store/store";
import { toastError } from "../../view/toasts";
import { PageNotFound } from "../NotFound";
import type { Params } from "../routes";
import { DrawerButton } from "../RoomHeader";
import { CaseCard } from "./CaseCard";

export default function AdminScreen({ params }: { params: Params }) {
  const isAdmin = useStore((state) => state.me?.isAdmin === true);
  const tab = params["tab"];
  if (!isAdmin || (tab !== undefined && tab !== "closed")) return <PageNotFound />;
  return <Queue key={tab ?? "open"} state={tab === "closed" ? "closed" : "open"} />;
}

function Queue({ state }: { state: CaseState }) {
  const [cases, setCases] = useState<readonly Case[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const load = useCallback(() => {
    setError(null);
    listCases(state, null).then((page) => {
      setCases(page.items);
      setNext(page.next);
    }, setError);
  }, [state]);
  useEffect(load, [load]);
  const loadMore = () => {
    listCases(state, next).then((page) => {
      setCases((all) => [...(all ?? []), ...page.items]);
      setNext(page.next);
    }, toastError);
  };
  const remove = (caseId: string) => setCases((all) => all?.filter((each) => each.caseId !== caseId) ?? null);
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
        <h2>{state === "open" ? "Open cases" : "Decided cases"}</h2>
        <span className="spring" />
        <button type="button" className="button button-small" onClick={load}>
          Refresh
        </button>
      </header>
      <div className="cases">
        {error !== null && (
          <p className="form-error" role="alert">
            {errorText(error)}
          </p>
        )}
        {cases === null && error === null && <div className="skeleton skeleton-pin" />}
        {cases?.length === 0 && (
          <p className="note">{state === "open" ? "No open cases." : "No decided cases yet."}</p>
        )}
        {cases?.map((each) => (
          <CaseCard key={each.caseId} review={each} onDecided={remove} />
        ))}
        {next !== null && (
          <button type="button" className="button" onClick={loadMore}>
            Load more
          </button>
        )}
      </div>
    </div>
  );
}
