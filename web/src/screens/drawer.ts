// A context with the function that opens the drawer.
import { createContext } from "react";

export const DrawerContext = createContext<() => void>(() => undefined);
