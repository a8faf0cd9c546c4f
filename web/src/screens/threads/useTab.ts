// What a tab of an open panel shows, and a way to change a part of it.
import { useCallback } from "react";
import { changeTab } from "../../actions/threads";
import type { Tab, TabName } from "../../api/shapes";
import { useStore } from "../../store/store";
import { tellFailure } from "../../view/toasts";

export function useTab(threadId: string, name: TabName): Tab | undefined {
  return useStore((state) => state.panels[threadId]?.[name]);
}

/** Change a tab; a failure is said. */
export function useChange(threadId: string, name: TabName): (how: (content: unknown) => object) => void {
  return useCallback(
    (how) => {
      changeTab(threadId, name, how).catch(tellFailure);
    },
    [threadId, name],
  );
}
