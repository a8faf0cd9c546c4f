// One tab stop for a long list: what is inside of a row is reached by Tab only while the row is the current one.
import { createContext, useContext } from "react";

export const TabStopContext = createContext(true);

/** The tabIndex of a control: its own, or -1 inside of a row that is not the current one. */
export function useTabIndex(): -1 | undefined {
  return useContext(TabStopContext) ? undefined : -1;
}
