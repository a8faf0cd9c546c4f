// The appearance of the client on this device: theme and density.
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
export type Density = "cosy" | "compact";

const KEY = "sobremesa.look";
const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let look: { theme: Theme; density: Density } = { theme: "system", density: "cosy" };

export function applySavedLook(): void {
  try {
    look = { ...look, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<typeof look>) };
  } catch {
    // Invalid stored value: keep the defaults.
  }
  dark.addEventListener("change", apply);
  apply();
}

export function setLook(changes: Partial<typeof look>): void {
  look = { ...look, ...changes };
  localStorage.setItem(KEY, JSON.stringify(look));
  apply();
  for (const listener of listeners) listener();
}

export function useLook(): typeof look {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => look,
  );
}

function apply(): void {
  const isDark = look.theme === "dark" || (look.theme === "system" && dark.matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  document.documentElement.dataset["density"] = look.density;
}
