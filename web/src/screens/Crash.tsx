// When drawing fails: say so, and offer the one thing that helps. A part of an older build that is gone is such a case.
import { Component, type ReactNode } from "react";

export class Crash extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <main className="empty" role="alert">
        <h2>Something broke here</h2>
        <p>Nothing that you sent is lost. {this.state.error.message}</p>
        <button type="button" className="button button-primary" onClick={() => location.reload()}>
          Load the page again
        </button>
      </main>
    );
  }
}
