// A screen whose contents are loading: a header without a title, and a placeholder.
import type { ReactNode } from "react";
import { DrawerButton } from "./RoomHeader";

export function LoadingScreen({ children }: { children: ReactNode }) {
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
      </header>
      {children}
    </div>
  );
}
