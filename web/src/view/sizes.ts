// File sizes as text.
const UNITS = ["B", "KB", "MB", "GB"];

export function sizeOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1000 && unit < UNITS.length - 1; unit++) size /= 1000;
  return `${size < 10 && unit > 0 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit] ?? ""}`;
}
