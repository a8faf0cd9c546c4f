// QR codes (ISO 18004): bytes, error correction M, versions 1 to 9; enough for invite links.

/** For each version: the correction codewords of a block, and the data codewords of each block. */
const BLOCKS: readonly { correction: number; data: readonly number[] }[] = [
  { correction: 10, data: [16] },
  { correction: 16, data: [28] },
  { correction: 26, data: [44] },
  { correction: 18, data: [32, 32] },
  { correction: 24, data: [43, 43] },
  { correction: 16, data: [27, 27, 27, 27] },
  { correction: 18, data: [31, 31, 31, 31] },
  { correction: 22, data: [38, 38, 39, 39] },
  { correction: 22, data: [36, 36, 36, 37, 37] },
];
const ALIGNMENT = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46]];
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (y, x) => (y + x) % 2 === 0,
  (y) => y % 2 === 0,
  (_, x) => x % 3 === 0,
  (y, x) => (y + x) % 3 === 0,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (y, x) => ((y * x) % 2) + ((y * x) % 3) === 0,
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2 === 0,
  (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2 === 0,
];

/** The modules of the code, row by row, true for dark. Throws a RangeError for a text that is too long. */
export function encode(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const version = BLOCKS.findIndex((each) => sum(each.data) >= bytes.length + 2) + 1;
  if (version === 0) throw new RangeError("too long for a QR code");
  const codewords = interleaved(version, bytes);
  let best: { grid: boolean[][]; penalty: number } | null = null;
  for (let mask = 0; mask < MASKS.length; mask++) {
    const grid = drawn(version, codewords, mask);
    const penalty = penaltyOf(grid);
    if (best === null || penalty < best.penalty) best = { grid, penalty };
  }
  return best?.grid ?? [];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

// Codewords

function interleaved(version: number, bytes: Uint8Array): number[] {
  const { correction, data } = BLOCKS[version - 1] ?? { correction: 0, data: [] };
  const all = dataCodewords(bytes, sum(data));
  let at = 0;
  const blocks = data.map((length) => all.slice(at, (at += length)));
  const corrections = blocks.map((block) => remainder(block, correction));
  const longest = Math.max(...data);
  const order: number[] = [];
  for (let index = 0; index < longest; index++)
    for (const block of blocks) if (index < block.length) order.push(block[index] ?? 0);
  for (let index = 0; index < correction; index++)
    for (const block of corrections) order.push(block[index] ?? 0);
  return order;
}

function dataCodewords(bytes: Uint8Array, length: number): number[] {
  // Four bits for the byte mode, eight for the length; the data after them is shifted by half a byte.
  const nibbles = [4, bytes.length >> 4, bytes.length & 15];
  for (const byte of bytes) nibbles.push(byte >> 4, byte & 15);
  nibbles.push(0);
  if (nibbles.length % 2 === 1) nibbles.push(0);
  const words: number[] = [];
  for (let at = 0; at < nibbles.length; at += 2)
    words.push(((nibbles[at] ?? 0) << 4) | (nibbles[at + 1] ?? 0));
  for (let pad = 0; words.length < length; pad++) words.push(pad % 2 === 0 ? 0xec : 0x11);
  return words.slice(0, length);
}

const EXP: number[] = [];
const LOG: number[] = [];
for (let power = 0, value = 1; power < 255; power++) {
  EXP[power] = value;
  LOG[value] = power;
  value = value & 128 ? (value << 1) ^ 0x11d : value << 1;
}
const times = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : (EXP[((LOG[a] ?? 0) + (LOG[b] ?? 0)) % 255] ?? 0);

/** Reed-Solomon: the remainder of the block by the generator of this degree. */
function remainder(block: readonly number[], degree: number): number[] {
  let generator = [1];
  for (let power = 0; power < degree; power++) {
    const next = [...generator, 0];
    generator.forEach((factor, index) => {
      next[index + 1] = (next[index + 1] ?? 0) ^ times(factor, EXP[power] ?? 0);
    });
    generator = next;
  }
  const rest = [...block, ...new Array<number>(degree).fill(0)];
  for (let at = 0; at < block.length; at++) {
    const factor = rest[at] ?? 0;
    generator.forEach((each, index) => {
      rest[at + index] = (rest[at + index] ?? 0) ^ times(each, factor);
    });
  }
  return rest.slice(block.length);
}

// The grid

function drawn(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = 17 + 4 * version;
  const grid: (boolean | null)[][] = Array.from({ length: size }, () =>
    new Array<boolean | null>(size).fill(null),
  );
  const set = (y: number, x: number, dark: boolean) => {
    const row = grid[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = dark;
  };
  const square = (cy: number, cx: number, reach: number, isDark: (ring: number) => boolean) => {
    for (let dy = -reach; dy <= reach; dy++)
      for (let dx = -reach; dx <= reach; dx++)
        set(cy + dy, cx + dx, isDark(Math.max(Math.abs(dy), Math.abs(dx))));
  };
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  const corners = [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const;
  for (const [y, x] of corners) square(y, x, 4, (ring) => ring !== 2 && ring !== 4);
  const places = ALIGNMENT[version - 1] ?? [];
  const last = places.at(-1);
  for (const y of places)
    for (const x of places) {
      const isCorner = (y === 6 && x === 6) || (y === 6 && x === last) || (y === last && x === 6);
      if (!isCorner) square(y, x, 2, (ring) => ring !== 1);
    }
  drawFormat(set, size, mask);
  if (version >= 7) drawVersion(set, size, version);
  fill(grid, codewords, mask);
  return grid.map((row) => row.map((each) => each === true));
}

type Set = (y: number, x: number, dark: boolean) => void;

function drawFormat(set: Set, size: number, mask: number): void {
  let rest = mask; // correction M is 00
  for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const bit = (index: number) => ((bits >> index) & 1) === 1;
  for (let index = 0; index <= 5; index++) set(index, 8, bit(index));
  set(7, 8, bit(6));
  set(8, 8, bit(7));
  set(8, 7, bit(8));
  for (let index = 9; index < 15; index++) set(8, 14 - index, bit(index));
  for (let index = 0; index < 8; index++) set(8, size - 1 - index, bit(index));
  for (let index = 8; index < 15; index++) set(size - 15 + index, 8, bit(index));
  set(size - 8, 8, true);
}

function drawVersion(set: Set, size: number, version: number): void {
  let rest = version;
  for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let index = 0; index < 18; index++) {
    const dark = ((bits >> index) & 1) === 1;
    const [far, near] = [size - 11 + (index % 3), Math.floor(index / 3)];
    set(near, far, dark);
    set(far, near, dark);
  }
}

/** In pairs of columns from the right, alternating up and down, skipping modules that are already set. */
function fill(grid: (boolean | null)[][], codewords: readonly number[], mask: number): void {
  const size = grid.length;
  const isMasked = MASKS[mask] ?? (() => false);
  let at = 0;
  let isUp = true;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const y = isUp ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        const row = grid[y];
        if (row === undefined || row[x] !== null) continue;
        const dark = (((codewords[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
        row[x] = dark !== isMasked(y, x);
        at++;
      }
    }
    isUp = !isUp;
  }
}

/** The penalty of a mask: long runs, blocks, false corners, imbalance. */
function penaltyOf(grid: boolean[][]): number {
  const size = grid.length;
  const columns = grid.map((_, x) => grid.map((row) => row[x] === true));
  let penalty = 0;
  for (const line of [...grid, ...columns]) {
    const text = line.map((each) => (each ? "1" : "0")).join("");
    for (const run of text.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    penalty += 40 * [...text.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) {
      const here = grid[y]?.[x];
      if (here === grid[y - 1]?.[x] && here === grid[y]?.[x - 1] && here === grid[y - 1]?.[x - 1])
        penalty += 3;
    }
  const dark = grid.flat().filter(Boolean).length / (size * size);
  return penalty + 10 * Math.floor(Math.abs(dark * 100 - 50) / 5);
}
