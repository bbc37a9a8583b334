import { type EventTypeName, eventTypeNames } from '../event-types.ts';
import { type NeededBytes, neededBytes } from '../filter/bytes.ts';
import { compileFilter, type EventTest } from '../filter/compile.ts';
import type { Field, Filter } from '../filter/tree.ts';
import type { TimeWindow } from '../time-range.ts';
import type { Buckets } from './buckets.ts';
import type { EventPosition, SortOrder } from './request.ts';
import type { TallyPart } from './tally.ts';

/** The specification of a scan, the same for every part of the log. Plain data, since worker threads scan too. */
export interface Scan {
  /** Equal for equal scans, so that a thread compiles a filter once. */
  readonly id: string;
  readonly filter: Filter;
  readonly window: TimeWindow;
  readonly order: SortOrder;
  /** The maximum number of rows per part. */
  readonly limit: number;
  readonly after?: EventPosition | undefined;
  readonly timeline?: ScanTimeline | undefined;
}

interface ScanTimeline {
  readonly buckets: Buckets;
  readonly groupBy?: Field | undefined;
  readonly thenBy?: Field | undefined;
  readonly field?: Field | undefined;
}

/** The result of scanning a part of the log. */
export interface ScanResult {
  readonly scanned: number;
  readonly matched: number;
  readonly parsed: number;
  readonly unreadable: number;
  readonly bytesScanned: number;
  /** The first rows of the part, in the order of the scan. */
  readonly rows: FoundRows;
  readonly tally?: TallyPart | undefined;
  /** Offsets of events that columns could not decide, ascending. Their records have to be scanned. */
  readonly unsure: readonly number[];
  /** Whether the window excluded something, so that the result is not valid for another window. */
  readonly isClipped: boolean;
  /** The earliest and the latest time of the matches. */
  readonly minTimeMs: number;
  readonly maxTimeMs: number;
}

interface FoundRows {
  readonly offsets: readonly number[];
  readonly timesMs: readonly number[];
  /** The JSON, where it was available. */
  readonly texts: readonly (string | undefined)[];
}

export interface CompiledScan extends Scan {
  readonly test: EventTest;
  readonly needed: NeededBytes;
}

export function compileScan(scan: Scan): CompiledScan {
  return { ...scan, test: compileFilter(scan.filter), needed: neededBytes(scan.filter) };
}

/**
 * Returns a test whether an event of a type may be a row: inside the window, and after the start position of the scan.
 */
export function insideTest(
  { window: { startMs, endMs }, after, order }: Scan,
  type: EventTypeName,
): (timeMs: number, offset: number) => boolean {
  if (after === undefined) return (timeMs) => timeMs >= startMs && timeMs < endMs;
  const sign = order === 'asc' ? 1 : -1;
  const byType = sign * (eventTypeNames.indexOf(type) - eventTypeNames.indexOf(after.type));
  return (timeMs, offset) => {
    if (timeMs < startMs || timeMs >= endMs) return false;
    const byTime = sign * (timeMs - after.timeMs);
    return (byTime || byType || sign * (offset - after.offset)) > 0;
  };
}
