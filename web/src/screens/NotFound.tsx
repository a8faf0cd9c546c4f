// The screen of a room or page that is missing or empty, with a link home.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { DrawerButton } from "./RoomHeader";

interface NotFoundProps {
  title: string;
  description: ReactNode;
  /** Whether to link to the home screen; an empty screen needs no link. */
  home?: boolean;
}

export function NotFound({ title, description, home = true }: NotFoundProps) {
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
      </header>
      <div className="empty">
        <h2>{title}</h2>
        <p>{description}</p>
        {home && (
          <Link className="button button-primary" href="/">
            Back to home
          </Link>
        )}
      </div>
    </div>
  );
}

/** A page that does not exist. */
export function PageNotFound() {
  return <NotFound title="Page not found" description="The address is wrong, or the page has moved." />;
}
