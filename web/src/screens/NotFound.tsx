// A screen in place of one that is not there: what happened, and a way out.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { DrawerButton } from "./RoomHeader";

interface NotFoundProps {
  title: string;
  words: ReactNode;
  /** Whether it offers the way home; a place that is only empty needs none. */
  home?: boolean;
}

export function NotFound({ title, words, home = true }: NotFoundProps) {
  return (
    <div className="screen">
      <header className="room-header">
        <DrawerButton />
      </header>
      <div className="empty">
        <h2>{title}</h2>
        <p>{words}</p>
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
  return <NotFound title="Page not found" words="The address is wrong, or the page has moved." />;
}
