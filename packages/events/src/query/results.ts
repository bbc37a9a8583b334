import type { Scan, ScanResult } from './scan.ts';
import { partBytes, TimelineTally } from './tally.ts';
import { TopRows } from './top-rows.ts';

/** Merges the results of the pieces of a part. */
export function joinResults(scan: Scan, results: readonly ScanResult[]): ScanResult {
  const [first] = results;
  if (first !== undefined && results.length === 1) return first;
  const rows = new TopRows<{ timeMs: number; offset: number; text: string | undefined }>(
    scan.limit,
    scan.order,
  );
  const { timeline } = scan;
  const tally = timeline && new TimelineTally(timeline.buckets, timeline.field !== undefined);
  const sum = (pick: (result: ScanResult) => number) =>
    results.reduce((total, result) => total + pick(result), 0);
  for (const result of results) {
    if (result.tally !== undefined) tally?.merge(result.tally);
    const { offsets, timesMs, texts } = result.rows;
    offsets.forEach((offset, index) => {
      rows.offer({ timeMs: timesMs[index]!, offset, text: texts[index] });
    });
  }
  const found = rows.take();
  return {
    scanned: sum(({ scanned }) => scanned),
    matched: sum(({ matched }) => matched),
    parsed: sum(({ parsed }) => parsed),
    unreadable: sum(({ unreadable }) => unreadable),
    bytesScanned: sum(({ bytesScanned }) => bytesScanned),
    rows: {
      offsets: found.map(({ offset }) => offset),
      timesMs: found.map(({ timeMs }) => timeMs),
      texts: found.map(({ text }) => text),
    },
    tally: tally?.part(),
    unsure: [],
    isClipped: results.some(({ isClipped }) => isClipped),
    minTimeMs: results.reduce((least, { minTimeMs }) => Math.min(least, minTimeMs), Number.POSITIVE_INFINITY),
    maxTimeMs: results.reduce((most, { maxTimeMs }) => Math.max(most, maxTimeMs), Number.NEGATIVE_INFINITY),
  };
}

/**
 * Returns the part of a result that is worth caching: everything but the texts, which are long and rarely needed again.
 */
export function cacheableResult(result: ScanResult): { readonly result: ScanResult; readonly bytes: number } {
  const { rows, tally } = result;
  const cacheable = { ...result, rows: { ...rows, texts: rows.offsets.map(() => undefined) } };
  return {
    result: cacheable,
    bytes: 300 + 32 * rows.offsets.length + (tally === undefined ? 0 : partBytes(tally)),
  };
}
