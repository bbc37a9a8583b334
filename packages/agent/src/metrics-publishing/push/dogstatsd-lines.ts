import type { MetricReading, MetricRow, SeriesReading } from '@weir/core';
import { type PushedName, type Tags, taggedWith } from './pushed-metrics.ts';

/**
 * Metrics as DogStatsD lines. DogStatsD takes the changes since the previous line, so counters and histograms are sent
 * as increments.
 *
 * A histogram is sent as a distribution: each bucket with new values sends its middle, with a sample rate that encodes
 * the count. Counts are exact and percentiles as good as the buckets, as in a scrape, with one line per bucket instead
 * of one per request.
 */
export class DogStatsdLines {
  readonly #name: PushedName;
  readonly #tags: Tags;
  /** Values sent of each series in the previous round, and in this one. A series that has ended is dropped. */
  #sentBefore = new Map<string, readonly number[]>();
  #sent = new Map<string, readonly number[]>();

  constructor(name: PushedName, tags: Tags) {
    this.#name = name;
    this.#tags = tags;
  }

  /** Returns the lines for a part of a round. Lines that are lost on the network are not sent again. */
  linesOf(readings: readonly MetricReading[]): string[] {
    const lines: string[] = [];
    for (const { row, series } of readings) {
      const name = this.#name(row.name);
      for (const one of series) {
        const tags = tagText(taggedWith(one.labels, this.#tags));
        if (row.kind === 'gauge') {
          lines.push(`${name}:${one.value}|g|#${tags}`);
          continue;
        }
        const key = `${name} ${tags}`;
        const now = row.kind === 'counter' ? [one.value] : one.counts;
        const grown = growth(this.#sent.get(key) ?? this.#sentBefore.get(key), now);
        this.#sent.set(key, now);
        if (row.kind === 'counter') {
          if (grown[0]! > 0) lines.push(`${name}:${grown[0]}|c|#${tags}`);
        } else lines.push(...distribution(name, row, grown, tags));
      }
    }
    return lines;
  }

  /** Called after all parts of a round. */
  endRound(): void {
    this.#sentBefore = this.#sent;
    this.#sent = new Map();
  }
}

function distribution(
  name: string,
  { buckets = [] }: MetricRow,
  grown: readonly number[],
  tags: string,
): string[] {
  return grown.flatMap((count, index) => {
    if (count <= 0) return [];
    const from = index === 0 ? Math.min(0, buckets[0] ?? 0) : buckets[index - 1]!;
    // The last bucket has no upper bound, and so no middle.
    const value = (from + (buckets[index] ?? from)) / 2;
    return [`${name}:${value}|d${count === 1 ? '' : `|@${1 / count}`}|#${tags}`];
  });
}

/** A series with smaller values than before was reset. */
function growth(before: readonly number[] | undefined, now: SeriesReading['counts']): readonly number[] {
  if (before === undefined || now.some((count, index) => count < before[index]!)) return now;
  return now.map((count, index) => count - before[index]!);
}

const tagCharsMax = 200;

/** Names of topics and groups may contain characters that end a tag. */
function tagText(tags: Tags): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}:${value.replaceAll(/[\p{Cc}|,#]/gu, '_')}`.slice(0, tagCharsMax))
    .join(',');
}

/** Packs lines into as few datagrams as possible without fragmentation. A longer line gets its own datagram. */
export function datagramsOf(lines: readonly string[], bytesMax = 1432): Buffer[] {
  const datagrams: Buffer[] = [];
  let open: string[] = [];
  let bytes = 0;
  const close = () => {
    if (open.length > 0) datagrams.push(Buffer.from(open.join('\n')));
    open = [];
    bytes = 0;
  };
  for (const line of lines) {
    const lineBytes = Buffer.byteLength(line) + 1;
    if (bytes + lineBytes > bytesMax + 1) close();
    open.push(line);
    bytes += lineBytes;
  }
  close();
  return datagrams;
}
