// One tab stop for a long list: Tab reaches only the controls of the current row.
import { createContext, useContext } from "react";

export const TabStopContext = createContext(true);

/** The tabIndex of a control: -1 inside a row that is not the current one. */
export function useTabIndex(): -1 | undefined {
  return useContext(TabStopContext) ? undefined : -1;
}
