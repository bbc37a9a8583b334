import { isAscii } from 'node:buffer';
import { parseObject } from '../event-object.ts';
import type { RawPage } from '../event-source.ts';
import type { EventTypeName } from '../event-types.ts';
import type { TimeWindow } from '../time-range.ts';
import { groupKeys, numbersOf, valuesOf } from './cells.ts';
import { occurrencesOf, suppressedFields } from './occurrences.ts';
import { candidates } from './prefilter.ts';
import { type CompiledScan, insideTest, type ScanResult } from './scan.ts';
import { TimelineTally } from './tally.ts';
import { TopRows } from './top-rows.ts';

/** Records of one topic, and the range of them to scan. */
export interface PagesPart {
  readonly kind: 'pages';
  readonly type: EventTypeName;
  readonly pages: readonly RawPage[];
  readonly fromOffset: number;
  readonly toOffset: number;
  /** If given, the only offsets to scan, ascending: those that columns could not decide. */
  readonly only?: readonly number[] | undefined;
}

/** Scans records: by their bytes first, and as JSON where the bytes are not decisive. */
export function scanPages(scan: CompiledScan, part: PagesPart): ScanResult {
  const isInside = insideTest(scan, part.type);
  const rows = new TopRows<{ timeMs: number; offset: number; text: string }>(scan.limit, scan.order);
  const { timeline } = scan;
  const tally = timeline && new TimelineTally(timeline.buckets, timeline.field !== undefined);
  const leftOut = suppressedFields(part.type);
  const only = part.only && new Set(part.only);
  let [scanned, matched, parsed, unreadable, bytesScanned] = [0, 0, 0, 0, 0];
  let isClipped = false;
  let [minTimeMs, maxTimeMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

  for (const page of part.pages) {
    const { firstOffset, timesMs, valueStarts, valueEnds } = page;
    const from = Math.max(0, part.fromOffset - firstOffset);
    const to = Math.min(timesMs.length, part.toOffset - firstOffset);
    if (from >= to) continue;
    bytesScanned += valueEnds[to - 1]! - valueStarts[from]!;
    scanned += to - from;
    if (!hasTimeInside(timesMs, from, to, scan.window)) {
      isClipped = true;
      continue;
    }
    const mask = candidates(page, from, to, scan.needed);
    const bytes = Buffer.from(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength);
    let areAscii: boolean | undefined;
    for (let index = mask.indexOf(1, from); index !== -1; index = mask.indexOf(1, index + 1)) {
      const timeMs = timesMs[index]!;
      const offset = firstOffset + index;
      if (only !== undefined && !only.has(offset)) continue;
      if (!isInside(timeMs, offset)) {
        isClipped = true;
        continue;
      }
      areAscii ??= isAscii(page.bytes);
      const start = valueStarts[index]!;
      const end = valueEnds[index]!;
      const text = bytes.toString(areAscii ? 'latin1' : 'utf8', start, end);
      const event = parseObject(text);
      parsed++;
      if (event === undefined) {
        unreadable++;
        continue;
      }
      if (!scan.test(event)) continue;
      matched++;
      if (timeMs < minTimeMs) minTimeMs = timeMs;
      if (timeMs > maxTimeMs) maxTimeMs = timeMs;
      rows.offer({ timeMs, offset, text });
      if (tally === undefined) continue;
      const { buckets, groupBy, thenBy, field } = timeline!;
      const bucket = Math.floor(timeMs / buckets.bucketMs) - buckets.firstBucket;
      const keys = groupBy === undefined ? ungrouped : groupKeys(valuesOf(groupBy, event));
      const thenKeys = thenBy === undefined ? undivided : groupKeys(valuesOf(thenBy, event));
      const numbers = field === undefined ? undefined : numbersOf(valuesOf(field, event));
      const times = occurrencesOf(leftOut.map((one) => numbersOf(valuesOf(one, event))));
      for (const key of keys) {
        for (const thenKey of thenKeys) {
          if (numbers === undefined) tally.addEvents(key, thenKey, bucket, times);
          else for (const value of numbers) tally.addNumber(key, thenKey, bucket, value);
        }
      }
    }
  }

  const found = rows.take();
  return {
    scanned,
    matched,
    parsed,
    unreadable,
    bytesScanned,
    rows: {
      offsets: found.map(({ offset }) => offset),
      timesMs: found.map(({ timeMs }) => timeMs),
      texts: found.map(({ text }) => text),
    },
    tally: tally?.part(),
    unsure: [],
    isClipped,
    minTimeMs,
    maxTimeMs,
  };
}

function hasTimeInside(
  timesMs: Float64Array,
  from: number,
  to: number,
  { startMs, endMs }: TimeWindow,
): boolean {
  for (let index = from; index < to; index++) {
    if (timesMs[index]! >= startMs && timesMs[index]! < endMs) return true;
  }
  return false;
}

const ungrouped = [null] as const;
const undivided = [undefined] as const;
