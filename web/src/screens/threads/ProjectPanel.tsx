// The project panel beside a thread, in tabs.
import { useEffect, useId, useState, type KeyboardEvent } from "react";
import { loadPanel } from "../../actions/threads";
import { errorText } from "../../api/problems";
import type { TabName, Thread } from "../../api/shapes";
import type { Names } from "../../markdown/Markdown";
import { useStore } from "../../store/store";
import { SidePanel } from "../SidePanel";
import { ActionsTab } from "./ActionsTab";
import { BriefTab } from "./BriefTab";
import { ExpensesTab } from "./ExpensesTab";
import { FilesTab } from "./FilesTab";
import { MoodboardTab } from "./MoodboardTab";
import { DocumentsTab } from "./DocumentsTab";
import { ShotlistTab } from "./ShotlistTab";

const TITLES: Readonly<Record<TabName, string>> = {
  brief: "Brief",
  moodboard: "Moodboard",
  shotlist: "Shotlist",
  files: "Files",
  docs: "Documents",
  expenses: "Expenses",
  actions: "Actions",
};
const OF_PROJECT: readonly TabName[] = [
  "brief",
  "moodboard",
  "shotlist",
  "files",
  "docs",
  "expenses",
  "actions",
];
const OF_INQUIRY: readonly TabName[] = ["actions", "files", "docs"];

interface ProjectPanelProps {
  thread: Thread;
  names: Names;
  onClose: () => void;
}

export function ProjectPanel({ thread, names, onClose }: ProjectPanelProps) {
  const { threadId } = thread;
  const tabs = thread.kind === "project" ? OF_PROJECT : OF_INQUIRY;
  const [tab, setTab] = useState<TabName>(tabs[0] ?? "actions");
  const isLoaded = useStore((state) => threadId in state.panels);
  const snapshots = useStore((state) => state.snapshots);
  const [error, setError] = useState<unknown>(null);
  const id = useId();
  useEffect(() => {
    loadPanel(threadId).then(() => setError(null), setError);
  }, [threadId, snapshots]);
  return (
    <SidePanel title={thread.kind === "project" ? "Project" : "Inquiry"} onClose={onClose} wide>
      <div
        className="tabs"
        role="tablist"
        aria-label="Project sections"
        onKeyDown={(event) => walk(event, tabs, tab, setTab)}
      >
        {tabs.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`${id}-${each}`}
            aria-selected={each === tab}
            aria-controls={`${id}-panel`}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => setTab(each)}
          >
            {TITLES[each]}
          </button>
        ))}
      </div>
      <div className="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        {error !== null && !isLoaded ? (
          <p className="form-error">{errorText(error)}</p>
        ) : isLoaded ? (
          <Shown tab={tab} thread={thread} names={names} />
        ) : (
          <div aria-hidden="true">
            <div className="skeleton skeleton-pin" />
            <div className="skeleton skeleton-pin" />
          </div>
        )}
      </div>
    </SidePanel>
  );
}

function Shown({ tab, thread, names }: { tab: TabName; thread: Thread; names: Names }) {
  switch (tab) {
    case "brief":
      return <BriefTab thread={thread} names={names} />;
    case "moodboard":
      return <MoodboardTab thread={thread} />;
    case "shotlist":
      return <ShotlistTab thread={thread} />;
    case "files":
      return <FilesTab thread={thread} />;
    case "docs":
      return <DocumentsTab thread={thread} names={names} />;
    case "expenses":
      return <ExpensesTab thread={thread} />;
    case "actions":
      return <ActionsTab thread={thread} />;
  }
}

/** Arrow keys move between tabs. */
function walk(
  event: KeyboardEvent<HTMLElement>,
  tabs: readonly TabName[],
  tab: TabName,
  setTab: (tab: TabName) => void,
): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const index = (tabs.indexOf(tab) + step + tabs.length) % tabs.length;
  setTab(tabs[index] ?? tab);
  event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")[index]?.focus();
}
