// A virtual list of rows of any height: only the rows in view are rendered.
//
// It keeps one row, the anchor, in place: after any change of heights (older rows load, a picture loads, the window
// resizes) that row is where it was. At the end of the list the anchor is the end. Scrolling chooses the anchor.
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from "react";

export interface RowListHandle {
  toEnd: () => void;
  toRow: (key: string) => void;
}

interface RowListProps<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  estimate: (row: Row) => number;
  render: (row: Row) => ReactNode;
  /** A row that moves when others load, such as a separator, and cannot be the anchor. */
  isLoose: (row: Row) => boolean;
  label: string;
  /** Whether the last row is the end of the list: only then the end can be the anchor. */
  endsHere: boolean;
  onNearStart: () => void;
  onNearEnd: () => void;
  onAtEnd: (isAtEnd: boolean) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void;
  /** Receives the last row that is entirely in view. */
  onSeen: (key: string) => void;
  /** The row to start at; by default the end. */
  startAt?: string | undefined;
  handle: Ref<RowListHandle>;
}

type Anchor = "end" | { key: string; offset: number };

const OVERSCAN = 800;
const NEAR = 1200;
const AT_END = 32;
/** The space above the row that the list starts at. */
const START_OFFSET = -160;
const SPARE_HEIGHTS = 200;

export function RowList<Row>(props: RowListProps<Row>) {
  const { rows, keyOf, estimate, render, isLoose, endsHere, onNearStart, onNearEnd, onAtEnd, onSeen } = props;
  const frame = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor>(
    props.startAt === undefined ? "end" : { key: props.startAt, offset: START_OFFSET },
  );
  const canEnd = useRef(endsHere);
  canEnd.current = endsHere;
  const heights = useRef(new Map<string, number>());
  const known = useRef(-1); // the scroll position that the anchor stands for; -1 before the first
  const [viewport, setViewport] = useState(800);
  const [, setTick] = useState(0);
  const again = useCallback(() => setTick((tick) => tick + 1), []);

  const tops: number[] = [];
  let total = 0;
  for (const row of rows) {
    tops.push(total);
    total += heights.current.get(keyOf(row)) ?? estimate(row);
  }
  const top = topOf(anchor.current, rows, keyOf, tops) ?? frame.current?.scrollTop ?? 0;
  const [from, to] = rowsInView(
    anchor.current === "end" ? Math.max(0, total - viewport) : top,
    viewport,
    tops,
  );
  const shown = useRef({ from, to });
  shown.current = { from, to };
  const choose = useRef<(element: HTMLElement) => void>(() => undefined);
  choose.current = (element) => {
    const { scrollTop, clientHeight, scrollHeight } = element;
    known.current = scrollTop;
    const isAtEnd = endsHere && scrollHeight - scrollTop - clientHeight < AT_END;
    anchor.current = isAtEnd
      ? "end"
      : (firstInView(element) ?? rowAt(scrollTop, rows, keyOf, isLoose, tops) ?? "end");
  };

  /** Measure the rendered rows and restore the anchor. Returns whether the list must be rendered again. */
  const settle = useCallback((): boolean => {
    const element = frame.current;
    if (element === null) return false;
    const scrolledBy = unreportedScroll(element, known.current);
    let hasChanged = false;
    for (const child of element.querySelectorAll<HTMLElement>("[data-row]")) {
      const key = child.dataset["row"] ?? "";
      const height = child.offsetHeight;
      if (heights.current.get(key) !== height) {
        heights.current.set(key, height);
        hasChanged = true;
      }
    }
    const target = anchor.current;
    if (target === "end") element.scrollTop = element.scrollHeight;
    else {
      const child = element.querySelector<HTMLElement>(`[data-row="${CSS.escape(target.key)}"]`);
      if (child !== null) element.scrollTop = child.offsetTop + target.offset;
      // With nothing below it, anchor the end, so that new rows are followed.
      const below = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (child !== null && canEnd.current && below < 1) anchor.current = "end";
    }
    known.current = element.scrollTop;
    if (scrolledBy === 0) return hasChanged;
    element.scrollTop += scrolledBy;
    choose.current(element);
    return true;
  }, []);

  useLayoutEffect(() => {
    if (settle()) again();
  });

  // Forget the heights of removed rows, or they would accumulate.
  useEffect(() => {
    if (heights.current.size <= 2 * rows.length + SPARE_HEIGHTS) return;
    const kept = rows.map((row) => [keyOf(row), heights.current.get(keyOf(row))] as const);
    heights.current = new Map(kept.filter((each): each is [string, number] => each[1] !== undefined));
  }, [rows, keyOf]);

  // Pictures, fonts and window sizes change heights without a render.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const watch = new ResizeObserver(() => {
      setViewport(element.clientHeight);
      if (settle()) again();
    });
    watch.observe(element);
    if (element.firstElementChild !== null) watch.observe(element.firstElementChild);
    return () => watch.disconnect();
  }, [settle, again]);

  const look = () => {
    const element = frame.current;
    if (element === null) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    const isAtEnd = endsHere && scrollHeight - scrollTop - clientHeight < AT_END;
    onAtEnd(isAtEnd);
    const seen = lastInView(element);
    if (seen !== null) onSeen(seen);
    if (scrollTop < NEAR) onNearStart();
    if (scrollHeight - scrollTop - clientHeight < NEAR) onNearEnd();
  };

  const scrolled = () => {
    const element = frame.current;
    if (element === null) return;
    const { scrollTop, clientHeight } = element;
    if (Math.abs(scrollTop - known.current) > 1) choose.current(element);
    const [nowFrom, nowTo] = rowsInView(scrollTop, clientHeight, tops);
    if (nowFrom < shown.current.from || nowTo > shown.current.to) again();
    look();
  };

  // New rows may be near an end without a scroll event.
  useEffect(look);

  useImperativeHandle(props.handle, () => ({
    toEnd: () => {
      anchor.current = "end";
      again();
    },
    toRow: (key) => {
      anchor.current = { key, offset: -(frame.current?.clientHeight ?? viewport) / 3 };
      again();
    },
  }));

  return (
    <div
      ref={frame}
      className="row-list"
      role="log"
      aria-live="off"
      aria-label={props.label}
      tabIndex={0}
      onScroll={scrolled}
      onKeyDown={props.onKeyDown}
    >
      <div
        className="row-list-rows"
        style={{ paddingTop: tops[from] ?? 0, paddingBottom: total - (tops[to] ?? total) }}
      >
        {rows.slice(from, to).map((row) => (
          <div key={keyOf(row)} data-row={keyOf(row)} data-loose={isLoose(row) || undefined}>
            {render(row)}
          </div>
        ))}
      </div>
    </div>
  );
}

/**
 * How far the user has scrolled since `known`, if the browser has not reported it yet: it does so once a frame, and a
 * render before that must not take it back. Content that became shorter moves the view to its end: that is no scroll.
 */
function unreportedScroll(element: HTMLElement, known: number): number {
  const by = known < 0 ? 0 : element.scrollTop - known;
  const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 1;
  return Math.abs(by) <= 1 || (by < 0 && isAtEnd) ? 0 : by;
}

/** The top of the view by its anchor and the known heights; undefined for a removed anchor. */
function topOf<Row>(anchor: Anchor, rows: readonly Row[], keyOf: (row: Row) => string, tops: number[]) {
  if (anchor === "end") return undefined;
  const top = tops[rows.findIndex((row) => keyOf(row) === anchor.key)];
  return top === undefined ? undefined : top + anchor.offset;
}

/** The rows in view, with a margin above and below. */
function rowsInView(top: number, viewport: number, tops: number[]): [number, number] {
  const first = tops.findIndex((_, index) => (tops[index + 1] ?? Infinity) > top - OVERSCAN);
  const after = tops.findIndex((each) => each > top + viewport + OVERSCAN);
  return [Math.max(0, first), after < 0 ? tops.length : after];
}

function firstInView(element: HTMLElement): Anchor | null {
  const { scrollTop, clientHeight } = element;
  for (const child of element.querySelectorAll<HTMLElement>("[data-row]")) {
    if (child.offsetTop + child.offsetHeight <= scrollTop || child.dataset["loose"] !== undefined) continue;
    if (child.offsetTop > scrollTop + clientHeight) return null;
    return { key: child.dataset["row"] ?? "", offset: scrollTop - child.offsetTop };
  }
  return null;
}

/** The last row whose bottom is in view or above it. */
function lastInView(element: HTMLElement): string | null {
  const bottom = element.scrollTop + element.clientHeight + 1;
  const rows = element.querySelectorAll<HTMLElement>("[data-row]:not([data-loose])");
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row !== undefined && row.offsetTop + row.offsetHeight <= bottom) return row.dataset["row"] ?? null;
  }
  return null;
}

/** The row at a position where none is rendered yet, after a long jump. */
function rowAt<Row>(
  top: number,
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  isLoose: (row: Row) => boolean,
  tops: number[],
): Anchor | null {
  const index = rows.findIndex((row, at) => !isLoose(row) && (tops[at + 1] ?? Infinity) > top);
  const row = rows[index];
  return row === undefined ? null : { key: keyOf(row), offset: top - (tops[index] ?? 0) };
}
