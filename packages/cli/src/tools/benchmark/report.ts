import { MiB } from '@weir/core';
import { table } from '../../results/table.ts';
import type { Latencies } from './latencies.ts';
import type { Tally } from './meter.ts';

const percentiles = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999 } as const;
const percentileNames = Object.keys(percentiles) as (keyof typeof percentiles)[];

/** A tally for programs. */
export function tallyJson(kind: 'interval' | 'total', tally: Tally, lastFailure: string | undefined) {
  return {
    kind,
    elapsedMs: Math.round(tally.elapsedMs),
    records: tally.records,
    bytes: tally.bytes,
    recordsPerSecond: Math.round(perSecond(tally.records, tally)),
    bytesPerSecond: Math.round(perSecond(tally.bytes, tally)),
    failures: tally.failures,
    ...(tally.failures > 0 && lastFailure !== undefined ? { lastFailure } : {}),
    latenciesMs: Object.fromEntries([...tally.latencies].map(([name, found]) => [name, latencyJson(found)])),
  };
}

function latencyJson(latencies: Latencies) {
  // Without records, a latency of 0 would look like a very good one.
  if (latencies.count === 0) return null;
  const shares = percentileNames.map((name) => [name, rounded(latencies.percentileMs(percentiles[name]))]);
  return { ...Object.fromEntries(shares), max: rounded(latencies.maxMs) };
}

/** A tally on one line, for the progress display. */
export function tallyLine(seconds: number, tally: Tally): string {
  const latencies = [...tally.latencies].map(([name, found]) =>
    found.count === 0
      ? `${name} -`
      : `${name} p50 ${shownMs(found.percentileMs(percentiles.p50))} p99 ${shownMs(found.percentileMs(percentiles.p99))}`,
  );
  const failures = tally.failures === 0 ? [] : [`${tally.failures} failed`];
  return [`${seconds} s`, ...ratesOf(tally), ...latencies, ...failures].join('  ');
}

/** A tally of the whole benchmark as a table. */
export function tallyTable(tally: Tally): string {
  const [recordRate, byteRate] = ratesOf(tally);
  const summary = table(
    ['RECORDS', 'SECONDS', 'RECORD RATE', 'BYTE RATE', 'FAILED REQUESTS'],
    [
      [
        String(tally.records),
        (tally.elapsedMs / 1000).toFixed(1),
        recordRate!,
        byteRate!,
        String(tally.failures),
      ],
    ],
  );
  const latencies = table(
    ['LATENCY', ...percentileNames.map((name) => name.toUpperCase()), 'MAX'],
    [...tally.latencies].map(([name, found]) => [
      name,
      ...percentileNames.map((share) =>
        found.count === 0 ? '-' : shownMs(found.percentileMs(percentiles[share])),
      ),
      found.count === 0 ? '-' : shownMs(found.maxMs),
    ]),
  );
  return `${summary}\n${latencies}`;
}

function ratesOf(tally: Tally): readonly string[] {
  return [
    `${Math.round(perSecond(tally.records, tally))} records/s`,
    `${(perSecond(tally.bytes, tally) / MiB).toFixed(1)} MiB/s`,
  ];
}

function perSecond(amount: number, { elapsedMs }: Tally): number {
  return elapsedMs <= 0 ? 0 : (amount * 1000) / elapsedMs;
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function shownMs(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
