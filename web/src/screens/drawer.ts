// Opening the drawer, from any screen's head.
import { createContext } from "react";

export const DrawerContext = createContext<() => void>(() => undefined);
