// Data in a format of another application, shown as text.

/** Objects and lists become rows, everything else its text. */
export function PlainData({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (typeof value !== "object" || value === null)
    return <span className="plain-data-value">{plain(value)}</span>;
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length === 0) return <span className="note">Empty</span>;
  if (depth >= 3) return <code className="plain-data-value">{JSON.stringify(value)}</code>;
  return (
    <dl className="plain-data">
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? Number(name) + 1 : name}</dt>
          <dd>
            <PlainData value={each} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
