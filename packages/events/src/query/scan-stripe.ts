import type { EventTypeName } from '../event-types.ts';
import type { Field, Literal } from '../filter/tree.ts';
import type { Chunk, Stripe } from '../sidecar/format.ts';
import { ChunkBytes, type StoredChunks } from '../sidecar/stripe-chunks.ts';
import { columnAt, evaluateStripe, fails, passes, type Verdicts } from '../sidecar/stripe-filter.ts';
import type { Buckets } from './buckets.ts';
import { groupKeys, numbersOf, valuesOf } from './cells.ts';
import { leftOutOf, suppressedFields } from './occurrences.ts';
import { insideTest, type Scan, type ScanResult } from './scan.ts';
import { TimelineTally } from './tally.ts';
import { TopRows } from './top-rows.ts';

/** A stripe, and the range of its events to scan. */
export interface StripePart {
  readonly kind: 'stripe';
  readonly type: EventTypeName;
  readonly stripe: Stripe;
  readonly chunks: StoredChunks;
  readonly fromOffset: number;
  readonly toOffset: number;
}

/** Returns the chunks of a stripe that a scan needs; `undefined` if the footer shows that no event can match. */
export function chunksWanted(
  scan: Pick<Scan, 'filter' | 'timeline'>,
  stripe: Stripe,
  type: EventTypeName,
): readonly Chunk[] | undefined {
  const wanted = new Set<Chunk>();
  if (evaluateStripe(scan.filter, stripe, undefined, wanted) === fails) return undefined;
  wanted.add(stripe.times);
  if (stripe.readable !== undefined) wanted.add(stripe.readable);
  const { timeline } = scan;
  for (const field of [timeline?.groupBy, timeline?.thenBy, timeline?.field, ...countedFields(scan, type)]) {
    const column = field && columnAt(stripe, field.path);
    if (column === undefined || column === 'unknown') continue;
    if (column.kind === 'codes')
      for (const chunk of [column.dictionary, column.codes]) chunk && wanted.add(chunk);
    if (column.kind === 'numbers') wanted.add(column.numbers);
  }
  return [...wanted].sort((one, other) => one.start - other.start);
}

/** The fields that say how often the events of a timeline count; none if once, or if numbers are aggregated. */
function countedFields({ timeline }: Pick<Scan, 'timeline'>, type: EventTypeName): readonly Field[] {
  return timeline === undefined || timeline.field !== undefined ? [] : suppressedFields(type);
}

export function scanStripe(scan: Scan, part: StripePart): ScanResult {
  const { stripe } = part;
  const chunks = new ChunkBytes(part.chunks);
  const verdicts = evaluateStripe(scan.filter, stripe, chunks, new Set());
  const from = Math.max(0, part.fromOffset - stripe.fromOffset);
  const to = Math.min(stripe.rows, part.toOffset - stripe.fromOffset);
  let bytesScanned = 0;
  for (const stored of part.chunks.values()) bytesScanned += stored.length;
  const nothing = {
    ...{ scanned: to - from, matched: 0, parsed: 0, unreadable: 0, bytesScanned, isClipped: false },
    ...{ rows: { offsets: [], timesMs: [], texts: [] }, unsure: [] },
    ...{ minTimeMs: Number.POSITIVE_INFINITY, maxTimeMs: Number.NEGATIVE_INFINITY },
  };
  if (verdicts === fails) return nothing;

  const { timeline } = scan;
  const series = timeline?.groupBy && cellsOf(timeline.groupBy, stripe, chunks);
  const thenSeries = timeline?.thenBy && cellsOf(timeline.thenBy, stripe, chunks);
  const numbers = timeline?.field && cellsOf(timeline.field, stripe, chunks);
  const counted = countedFields(scan, part.type).map((field) => cellsOf(field, stripe, chunks));
  const leftOut = counted.filter((cells) => cells !== 'records');
  const isOnRecords = [series, thenSeries, numbers, ...counted].includes('records');
  const found = selectRows(verdicts, from, to, scan, part, chunks, isOnRecords);
  if (
    timeline === undefined ||
    series === 'records' ||
    thenSeries === 'records' ||
    numbers === 'records' ||
    leftOut.length < counted.length
  )
    return { ...nothing, ...found.result };

  const tally = new TimelineTally(timeline.buckets, numbers !== undefined);
  count(tally, timeline.buckets, found, groupsOf(series ?? ungrouped, thenSeries), numbers, leftOut);
  return { ...nothing, ...found.result, tally: tally.part() };
}

/** The maximum size (cells × buckets) of one block of counters. */
const countsMax = 1024 * 1024;

function count(
  tally: TimelineTally,
  { bucketMs, firstBucket, bucketCount }: Buckets,
  { selected, timesMs }: Selected,
  { code, codeCount, eachGroup }: Groups,
  numbers: CellsOfField | undefined,
  leftOut: readonly CellsOfField[],
): void {
  const bucketOf = (row: number) => Math.floor(timesMs[row]! / bucketMs) - firstBucket;
  if (numbers !== undefined) {
    for (const row of selected) {
      const bucket = bucketOf(row);
      for (const value of numbers.numbers[numbers.code(row)]!)
        eachGroup(code(row), (key, thenKey) => tally.addNumber(key, thenKey, bucket, value));
    }
    return;
  }
  const addEvents = (at: number, bucket: number, events: number) =>
    eachGroup(at, (key, thenKey) => tally.addEvents(key, thenKey, bucket, events));
  const counted = leftOut.map((cells) => ({ code: cells.code, leftOut: cells.numbers.map(leftOutOf) }));
  const timesOf = (row: number) => {
    let times = 1;
    for (const one of counted) times += one.leftOut[one.code(row)]!;
    return times;
  };
  if (codeCount * bucketCount > countsMax) {
    for (const row of selected) addEvents(code(row), bucketOf(row), timesOf(row));
    return;
  }
  // Counts per cell and bucket first and resolves the values of the cells at the end: an event costs one addition,
  // however many values it has.
  const counts = new Float64Array(codeCount * bucketCount);
  for (const row of selected) counts[code(row) * bucketCount + bucketOf(row)]! += timesOf(row);
  counts.forEach((events, place) => {
    if (events > 0) addEvents(Math.floor(place / bucketCount), place % bucketCount, events);
  });
}

/** The groups of a row, by its cells: a cell of one field, or the cells of two fields combined into one number. */
interface Groups {
  readonly codeCount: number;
  code(row: number): number;
  eachGroup(code: number, take: (key: Literal, thenKey: Literal | undefined) => void): void;
}

function groupsOf(first: CellsOfField, second: CellsOfField | undefined): Groups {
  const { keys } = first;
  if (second === undefined)
    return {
      codeCount: keys.length,
      code: first.code,
      eachGroup(code, take) {
        for (const key of keys[code]!) take(key, undefined);
      },
    };
  const { keys: thenKeys } = second;
  const width = thenKeys.length;
  return {
    codeCount: keys.length * width,
    code: (row) => first.code(row) * width + second.code(row),
    eachGroup(code, take) {
      for (const key of keys[Math.floor(code / width)]!)
        for (const thenKey of thenKeys[code % width]!) take(key, thenKey);
    },
  };
}

interface Selected {
  readonly result: Partial<ScanResult>;
  /** The rows that match. */
  readonly selected: Uint32Array;
  readonly timesMs: Float64Array;
}

function selectRows(
  verdicts: Verdicts,
  from: number,
  to: number,
  scan: Scan,
  { stripe, type }: StripePart,
  chunks: ChunkBytes,
  isOnRecords: boolean,
): Selected {
  const timesMs = chunks.times(stripe);
  const readable = stripe.readable && chunks.raw(stripe.readable);
  const { startMs, endMs } = scan.window;
  const isInside = insideTest(scan, type);
  const isWholeInside = scan.after === undefined && stripe.minTimeMs >= startMs && stripe.maxTimeMs < endMs;
  const rows = new TopRows<{ timeMs: number; offset: number }>(scan.limit, scan.order);
  const selected = new Uint32Array(to - from);
  const unsure: number[] = [];
  let [matched, isClipped] = [0, false];
  let [minTimeMs, maxTimeMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = from; row < to; row++) {
    const verdict = typeof verdicts === 'number' ? verdicts : verdicts[row]!;
    if (verdict === fails || readable?.[row] === 0) continue;
    const timeMs = timesMs[row]!;
    if (!isWholeInside && !isInside(timeMs, stripe.fromOffset + row)) {
      isClipped = true;
      continue;
    }
    if (verdict !== passes || isOnRecords) {
      unsure.push(stripe.fromOffset + row);
      continue;
    }
    selected[matched++] = row;
    if (timeMs < minTimeMs) minTimeMs = timeMs;
    if (timeMs > maxTimeMs) maxTimeMs = timeMs;
  }
  offerRows(rows, selected.subarray(0, matched), timesMs, stripe.fromOffset, scan);
  const top = rows.take();
  return {
    selected: selected.subarray(0, matched),
    timesMs,
    result: {
      matched,
      isClipped,
      minTimeMs,
      maxTimeMs,
      unsure,
      rows: {
        offsets: top.map(({ offset }) => offset),
        timesMs: top.map(({ timeMs }) => timeMs),
        texts: top.map(() => undefined),
      },
    },
  };
}

/** Starts at the end where the first rows are likely, so that few rows have to be sorted. */
function offerRows(
  rows: TopRows<{ timeMs: number; offset: number }>,
  selected: Uint32Array,
  timesMs: Float64Array,
  firstOffset: number,
  { order, limit }: Scan,
): void {
  if (limit === 0) return;
  for (let place = 0; place < selected.length; place++) {
    const row = selected[order === 'asc' ? place : selected.length - 1 - place]!;
    rows.offer({ timeMs: timesMs[row]!, offset: firstOffset + row });
  }
}

/** The values of a field by row, as cell numbers. */
interface CellsOfField {
  code(row: number): number;
  /** The group keys of each cell. */
  readonly keys: readonly (readonly Literal[])[];
  readonly numbers: readonly (readonly number[])[];
}

const ungrouped: CellsOfField = { code: () => 0, keys: [[null]], numbers: [[]] };

/** Returns `records` if only the records have the values. */
function cellsOf({ path, cast }: Field, stripe: Stripe, chunks: ChunkBytes): CellsOfField | 'records' {
  const column = columnAt(stripe, path);
  const field: Field = cast === undefined ? { path: ['cell'] } : { path: ['cell'], cast };
  if (column === undefined) return { code: () => 0, keys: [[null]], numbers: [[]] };
  if (column === 'unknown' || column.kind === 'opaque') return 'records';
  if (column.kind === 'codes') {
    const cells = column.cells ?? chunks.cells(column.dictionary!);
    const codes = chunks.codes(column, stripe.rows);
    const values = cells.map((cell) => valuesOf(field, { cell }));
    return { code: (row) => codes[row]!, keys: values.map(groupKeys), numbers: values.map(numbersOf) };
  }
  // Each row is its own cell.
  const values = Array.from(chunks.numbers(column.numbers, stripe.rows), (number) =>
    Number.isNaN(number) ? [] : valuesOf(field, { cell: number }),
  );
  return { code: (row) => row, keys: values.map(groupKeys), numbers: values.map(numbersOf) };
}
