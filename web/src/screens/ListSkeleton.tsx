// The placeholder of a list that is loading.
export function ListSkeleton() {
  return (
    <div className="sidebar-body" aria-hidden="true">
      <header className="sidebar-head">
        <div className="skeleton skeleton-title" />
      </header>
      {["70%", "52%", "64%", "45%"].map((width) => (
        <div key={width} className="skeleton skeleton-room" style={{ width }} />
      ))}
    </div>
  );
}
