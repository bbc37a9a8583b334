import { isMarker } from '@weir/broker';
import { type CompactionJob, noRangeFile, type Pointers } from '@weir/cluster';
import type { MergeRun } from './merge-files.ts';
import type { MergedRange } from './merged-files.ts';

/** A partition that has the same pointers as a run, as clones of topics do. */
interface Twin {
  readonly topicId: string;
  readonly partition: number;
}

/** Runs of which each is copied once, and the partitions that share what is copied. */
interface SharedRuns {
  readonly runs: readonly MergeRun[];
  readonly twins: ReadonlyMap<MergeRun, readonly Twin[]>;
}

/**
 * Finds what partitions have in common: pointers to the same bytes for the same offsets, and the same markers. A run is
 * cut where it begins or ends to be shared, so that each part is copied once for all of its partitions.
 */
export function shareRuns(job: CompactionJob, runs: readonly MergeRun[]): SharedRuns {
  return hasShares(job) ? share(runs) : { runs, twins: new Map() };
}

/** Whether two pointers begin at the same byte. Most jobs have none, and texts as keys would take long. */
function hasShares({ pointers: { file, byteStart } }: CompactionJob): boolean {
  const seen = new Set<number>();
  for (let row = 0; row < file.length; row++) {
    if (file[row] === noRangeFile) continue;
    const place = file[row]! * 2 ** 32 + byteStart[row]!;
    if (seen.has(place)) return true;
    seen.add(place);
  }
  return false;
}

function share(runs: readonly MergeRun[]): SharedRuns {
  const users = new Map<string, number[]>();
  const keys = runs.map(({ pointers }, run) => {
    let recordsKey = '';
    return pointers.fileId.map((_, row) => {
      // Topics of one transaction may have equal markers; they share them only with the records before them.
      const key = isMarker(pointers, row)
        ? `${recordsKey} ${markerKey(pointers, row)}`
        : rangeKey(pointers, row);
      if (!isMarker(pointers, row)) recordsKey = key;
      const known = users.get(key);
      if (known === undefined) users.set(key, [run]);
      else known.push(run);
      return key;
    });
  });
  const parts: MergeRun[] = [];
  const twins = new Map<MergeRun, readonly Twin[]>();
  for (const [run, { topicId, partition, pointers }] of runs.entries()) {
    const signatures = keys[run]!.map((key) => users.get(key)!.join());
    for (let first = 0, end = 0; first < signatures.length; first = end) {
      while (end < signatures.length && signatures[end] === signatures[first]) end++;
      const [owner, ...others] = users.get(keys[run]![first]!)!;
      if (owner !== run) continue;
      const part = { topicId, partition, pointers: rowsOf(pointers, first, end) };
      parts.push(part);
      if (others.length > 0)
        twins.set(
          part,
          others.map((other) => runs[other]!),
        );
    }
  }
  return { runs: parts, twins };
}

/** Adds the ranges of twins, in the order of topics, partitions and offsets. */
export function withTwins(
  ranges: readonly MergedRange[],
  { runs, twins }: SharedRuns,
): readonly MergedRange[] {
  if (twins.size === 0) return ranges;
  const all = [...ranges];
  const byPlace = Map.groupBy(ranges, placeOf);
  for (const run of runs) {
    const { pointers } = run;
    const from = pointers.baseOffset[0]!;
    const to = pointers.nextOffset.at(-1)!;
    for (const { topicId, partition } of twins.get(run) ?? []) {
      for (const range of byPlace.get(placeOf(run)) ?? []) {
        if (range.baseOffset >= from && range.nextOffset <= to) all.push({ ...range, topicId, partition });
      }
    }
  }
  return all.sort(
    (a, b) => compareTexts(a.topicId, b.topicId) || a.partition - b.partition || a.baseOffset - b.baseOffset,
  );
}

function placeOf({ topicId, partition }: Twin): string {
  return `${partition} ${topicId}`;
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function rangeKey({ fileId, byteStart, byteLength, baseOffset, nextOffset }: Pointers, row: number): string {
  return `${fileId[row]} ${byteStart[row]} ${byteLength[row]} ${baseOffset[row]} ${nextOffset[row]}`;
}

function markerKey({ markers, baseOffset }: Pointers, row: number): string {
  const { row: rows, isCommit, producerId, producerEpoch, timestampMs } = markers!;
  const marker = rows.indexOf(row);
  return `${baseOffset[row]} ${isCommit[marker]} ${producerId[marker]} ${producerEpoch[marker]} ${timestampMs[marker]}`;
}

function rowsOf(pointers: Pointers, first: number, end: number): Pointers {
  if (first === 0 && end === pointers.fileId.length) return pointers;
  const { fileId, byteStart, byteLength, baseOffset, nextOffset, markers } = pointers;
  const rows = {
    fileId: fileId.slice(first, end),
    byteStart: byteStart.slice(first, end),
    byteLength: byteLength.slice(first, end),
    baseOffset: baseOffset.slice(first, end),
    nextOffset: nextOffset.slice(first, end),
  };
  if (markers === undefined) return rows;
  const own = [...markers.row.keys()].filter(
    (marker) => markers.row[marker]! >= first && markers.row[marker]! < end,
  );
  if (own.length === 0) return rows;
  return {
    ...rows,
    markers: {
      row: Uint32Array.from(own, (marker) => markers.row[marker]! - first),
      isCommit: Uint8Array.from(own, (marker) => markers.isCommit[marker]!),
      producerId: Float64Array.from(own, (marker) => markers.producerId[marker]!),
      producerEpoch: Int16Array.from(own, (marker) => markers.producerEpoch[marker]!),
      timestampMs: Float64Array.from(own, (marker) => markers.timestampMs[marker]!),
    },
  };
}
