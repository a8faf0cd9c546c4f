// A QR code as SVG: one path of dark squares with the quiet zone that scanners need.
import { useMemo } from "react";
import { encode } from "./encode";

const QUIET = 4;

export default function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => {
    const grid = encode(text);
    const squares = grid.flatMap((row, y) =>
      row.flatMap((dark, x) => (dark ? [`M${x + QUIET} ${y + QUIET}h1v1h-1z`] : [])),
    );
    return { size: grid.length + 2 * QUIET, path: squares.join("") };
  }, [text]);
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#201a16" />
    </svg>
  );
}
