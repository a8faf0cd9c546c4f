// The error boundary of the page. A chunk of an older build that no longer exists also ends here.
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
        <h2>Something went wrong</h2>
        <p>Messages you've sent are safe. {this.state.error.message}</p>
        <button type="button" className="button button-primary" onClick={() => location.reload()}>
          Reload page
        </button>
      </main>
    );
  }
}
