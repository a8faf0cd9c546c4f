// The content of a tab of the open panel, and a function to change a part of it.
import { useCallback } from "react";
import { changeTab } from "../../actions/threads";
import type { Tab, TabName } from "../../api/shapes";
import { useStore } from "../../store/store";
import { toastError } from "../../view/toasts";

export function useTab(threadId: string, name: TabName): Tab | undefined {
  return useStore((state) => state.panels[threadId]?.[name]);
}

/** Change a tab; a failure is shown as a toast. */
export function useChange(threadId: string, name: TabName): (how: (content: unknown) => object) => void {
  return useCallback(
    (how) => {
      changeTab(threadId, name, how).catch(toastError);
    },
    [threadId, name],
  );
}
