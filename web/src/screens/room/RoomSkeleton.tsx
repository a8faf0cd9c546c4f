// The placeholder of messages that are loading.
const WIDTHS = ["62%", "38%", "74%", "51%", "66%", "44%", "58%", "80%", "35%"];

export function RoomSkeleton({ count }: { count: number }) {
  return (
    <div className="room-skeleton" aria-hidden="true">
      {WIDTHS.slice(0, count).map((width, index) => (
        <div key={index} className="message message-head">
          <span className="message-face skeleton skeleton-face" />
          <div className="message-body">
            <div className="skeleton skeleton-name" />
            <div className="skeleton skeleton-line" style={{ width }} />
          </div>
        </div>
      ))}
    </div>
  );
}
