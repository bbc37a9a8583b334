import type { MetricReading, MetricRow, SeriesReading } from '@weir/core';
import { type PushedName, type Tags, taggedWith } from './pushed-metrics.ts';

/**
 * Metrics as lines of DogStatsD. It takes what happened since the line before, so that counters and histograms are told by what they grew.
 *
 * A histogram is a distribution: each bucket that was hit sends its middle, with a sample rate that says how often. Counts are exact and
 * percentiles as good as the buckets; that is what a scrape of the buckets would give too, and it takes one line per bucket and not one per
 * request.
 */
export class DogStatsdLines {
  readonly #name: PushedName;
  readonly #tags: Tags;
  /** What was told of each series in the round before, and in this one. A series that has ended is forgotten. */
  #toldBefore = new Map<string, readonly number[]>();
  #told = new Map<string, readonly number[]>();

  constructor(name: PushedName, tags: Tags) {
    this.#name = name;
    this.#tags = tags;
  }

  /** What is to be sent now, of a part of a round. Lines that are lost on the way are not sent again. */
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
        const grown = growth(this.#told.get(key) ?? this.#toldBefore.get(key), now);
        this.#told.set(key, now);
        if (row.kind === 'counter') {
          if (grown[0]! > 0) lines.push(`${name}:${grown[0]}|c|#${tags}`);
        } else lines.push(...distribution(name, row, grown, tags));
      }
    }
    return lines;
  }

  /** All parts of a round are told. */
  endRound(): void {
    this.#toldBefore = this.#told;
    this.#told = new Map();
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
    // The last bucket has no end, and so no middle.
    const value = (from + (buckets[index] ?? from)) / 2;
    return [`${name}:${value}|d${count === 1 ? '' : `|@${1 / count}`}|#${tags}`];
  });
}

/** A series that is smaller than it was has begun anew. */
function growth(before: readonly number[] | undefined, now: SeriesReading['counts']): readonly number[] {
  if (before === undefined || now.some((count, index) => count < before[index]!)) return now;
  return now.map((count, index) => count - before[index]!);
}

const tagCharsMax = 200;

/** Names of topics and groups may hold what ends a tag here. */
function tagText(tags: Tags): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}:${value.replaceAll(/[\p{Cc}|,#]/gu, '_')}`.slice(0, tagCharsMax))
    .join(',');
}

/** Lines in as few datagrams as possible, of which none is cut on its way. A line that is longer goes alone. */
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
