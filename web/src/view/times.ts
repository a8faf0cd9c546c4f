// Times as text in the reader's time zone and language.
const TIME = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const SHORT_DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const DAY_MS = 86_400_000;

export const clockTime = (iso: string): string => TIME.format(new Date(iso));
export const fullTime = (iso: string): string => FULL.format(new Date(iso));

/** The same text for all times of one local day. */
export function dayKey(iso: string): string {
  const date = new Date(iso);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

export function dayName(iso: string): string {
  const days = daysAgo(iso);
  return days === 0 || days === 1 ? capital(RELATIVE.format(-days, "day")) : DAY.format(new Date(iso));
}

/** Short, for lists: the time today, else the day. */
export function shortTime(iso: string): string {
  const days = daysAgo(iso);
  if (days === 0) return clockTime(iso);
  return days === 1 ? capital(RELATIVE.format(-1, "day")) : SHORT_DAY.format(new Date(iso));
}

/** The day and the time, for the header of a message. */
export function messageTime(iso: string): string {
  return daysAgo(iso) === 0 ? clockTime(iso) : `${shortTime(iso)}, ${clockTime(iso)}`;
}

/** In calendar days; negative for future times. */
function daysAgo(iso: string): number {
  const start = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  return Math.round((start(new Date()) - start(new Date(iso))) / DAY_MS);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The smallest id of a time. Ids start with their time, so this is a position among messages. */
export function idAt(moment: Date): string {
  let rest = moment.getTime();
  let text = "";
  for (let digit = 0; digit < 10; digit++) {
    text = (DIGITS[rest % 32] ?? "0") + text;
    rest = Math.floor(rest / 32);
  }
  return text + "0".repeat(16);
}
