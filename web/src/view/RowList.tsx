// A long list of rows of any height, of which only those in sight exist.
//
// It holds on to one row, the anchor: after anything that changes heights (older rows come, a picture loads, the window
// turns) that row is where it was. At the end of the list it holds on to the end instead. Scrolling chooses the anchor.
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
  /** A row whose place changes when others come, such as a separator: the list does not hold on to it. */
  isLoose: (row: Row) => boolean;
  label: string;
  /** Whether the last row is really the last: only then the list holds on to its end. */
  endsHere: boolean;
  onNearStart: () => void;
  onNearEnd: () => void;
  onAtEnd: (isAtEnd: boolean) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void;
  /** The last row that is wholly in sight. */
  onSeen: (key: string) => void;
  /** The row to open at; the end if there is none. */
  startAt?: string | undefined;
  handle: Ref<RowListHandle>;
}

type Anchor = "end" | { key: string; offset: number };

const OVERSCAN = 800;
const NEAR = 1200;
const AT_END = 32;
/** So much is shown above the row that the list opens at. */
const START_OFFSET = -160;
const REMEMBERED = 200;

export function RowList<Row>(props: RowListProps<Row>) {
  const { rows, keyOf, estimate, render, isLoose, endsHere, onNearStart, onNearEnd, onAtEnd, onSeen } = props;
  const frame = useRef<HTMLDivElement>(null);
  const anchor = useRef<Anchor>(
    props.startAt === undefined ? "end" : { key: props.startAt, offset: START_OFFSET },
  );
  const canEnd = useRef(endsHere);
  canEnd.current = endsHere;
  const heights = useRef(new Map<string, number>());
  const placed = useRef(-1); // where we put the scroll ourselves
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
  const [from, to] = inSight(anchor.current === "end" ? Math.max(0, total - viewport) : top, viewport, tops);
  const shown = useRef({ from, to });
  shown.current = { from, to };

  /** Measure what is there, and put the anchor back to its place. True if something was otherwise than thought. */
  const settle = useCallback((): boolean => {
    const element = frame.current;
    if (element === null) return false;
    let isOther = false;
    for (const child of element.querySelectorAll<HTMLElement>("[data-row]")) {
      const key = child.dataset["row"] ?? "";
      const height = child.offsetHeight;
      if (heights.current.get(key) !== height) {
        heights.current.set(key, height);
        isOther = true;
      }
    }
    const target = anchor.current;
    if (target === "end") element.scrollTop = element.scrollHeight;
    else {
      const child = element.querySelector<HTMLElement>(`[data-row="${CSS.escape(target.key)}"]`);
      if (child !== null) element.scrollTop = child.offsetTop + target.offset;
      // Where nothing is below it, the list holds on to its end: what comes then is followed.
      const below = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (child !== null && canEnd.current && below < 1) anchor.current = "end";
    }
    placed.current = element.scrollTop;
    return isOther;
  }, []);

  useLayoutEffect(() => {
    if (settle()) again();
  });

  // Rows that are gone for good are forgotten, or whoever reads on and on gathers their heights.
  useEffect(() => {
    if (heights.current.size <= 2 * rows.length + REMEMBERED) return;
    const kept = rows.map((row) => [keyOf(row), heights.current.get(keyOf(row))] as const);
    heights.current = new Map(kept.filter((each): each is [string, number] => each[1] !== undefined));
  }, [rows, keyOf]);

  // Pictures that load, fonts, a turned screen: heights change without a render.
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
    const seen = lastInSight(element);
    if (seen !== null) onSeen(seen);
    if (scrollTop < NEAR) onNearStart();
    if (scrollHeight - scrollTop - clientHeight < NEAR) onNearEnd();
  };

  const scrolled = () => {
    const element = frame.current;
    if (element === null) return;
    const { scrollTop, clientHeight, scrollHeight } = element;
    if (Math.abs(scrollTop - placed.current) > 1) {
      placed.current = -1;
      const isAtEnd = endsHere && scrollHeight - scrollTop - clientHeight < AT_END;
      anchor.current = isAtEnd
        ? "end"
        : (firstInSight(element) ?? rowAt(scrollTop, rows, keyOf, isLoose, tops) ?? "end");
    }
    const [nowFrom, nowTo] = inSight(scrollTop, clientHeight, tops);
    if (nowFrom < shown.current.from || nowTo > shown.current.to) again();
    look();
  };

  // New rows may be nearer to an end than scrolling told.
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

/** Where the view begins by its anchor, as far as heights are known; undefined for one that is gone. */
function topOf<Row>(anchor: Anchor, rows: readonly Row[], keyOf: (row: Row) => string, tops: number[]) {
  if (anchor === "end") return undefined;
  const top = tops[rows.findIndex((row) => keyOf(row) === anchor.key)];
  return top === undefined ? undefined : top + anchor.offset;
}

/** The rows that stand between a bit above the view and a bit below it. */
function inSight(top: number, viewport: number, tops: number[]): [number, number] {
  const first = tops.findIndex((_, index) => (tops[index + 1] ?? Infinity) > top - OVERSCAN);
  const after = tops.findIndex((each) => each > top + viewport + OVERSCAN);
  return [Math.max(0, first), after < 0 ? tops.length : after];
}

function firstInSight(element: HTMLElement): Anchor | null {
  const { scrollTop, clientHeight } = element;
  for (const child of element.querySelectorAll<HTMLElement>("[data-row]")) {
    if (child.offsetTop + child.offsetHeight <= scrollTop || child.dataset["loose"] !== undefined) continue;
    if (child.offsetTop > scrollTop + clientHeight) return null;
    return { key: child.dataset["row"] ?? "", offset: scrollTop - child.offsetTop };
  }
  return null;
}

/** The last row whose end is in sight, or was passed. */
function lastInSight(element: HTMLElement): string | null {
  const bottom = element.scrollTop + element.clientHeight + 1;
  const rows = element.querySelectorAll<HTMLElement>("[data-row]:not([data-loose])");
  for (let index = rows.length - 1; index >= 0; index--) {
    const row = rows[index];
    if (row !== undefined && row.offsetTop + row.offsetHeight <= bottom) return row.dataset["row"] ?? null;
  }
  return null;
}

/** The row that belongs there, after a leap to where none is drawn yet. */
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
