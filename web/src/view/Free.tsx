// What an application wrote in a form of its own: shown as text, whatever it says.

/** Objects and lists as rows, everything else as its text. */
export function Free({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (typeof value !== "object" || value === null) return <span className="free-value">{plain(value)}</span>;
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length === 0) return <span className="note">nothing</span>;
  if (depth >= 3) return <code className="free-value">{JSON.stringify(value)}</code>;
  return (
    <dl className="free">
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>{Array.isArray(value) ? Number(name) + 1 : name}</dt>
          <dd>
            <Free value={each} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
