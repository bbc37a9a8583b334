import {
  type CompactionCommit,
  type CompactionJob,
  type Markers,
  markerBytes,
  noRangeFile,
  type Pointers,
} from '@weir/cluster';
import type { MergeResult, MergeRun } from './merge-files.ts';

/** The ranges of a job, each with its pointers in the form that readers use. */
export function runsOf({ inputs, topicIds, ranges, pointers, markers }: CompactionJob): MergeRun[] {
  const runs: MergeRun[] = [];
  let first = 0;
  let firstMarker = 0;
  for (let range = 0; range < ranges.topic.length; range++) {
    const count = ranges.pointerCount[range]!;
    const end = first + count;
    const own: Omit<Pointers, 'markers'> & { readonly fileId: string[] } = {
      fileId: new Array<string>(count),
      byteStart: new Float64Array(count),
      byteLength: new Float64Array(count),
      baseOffset: new Float64Array(count),
      nextOffset: new Float64Array(count),
    };
    for (let row = 0; row < count; row++) {
      const at = first + row;
      const file = pointers.file[at]!;
      const isMarker = file === noRangeFile;
      own.fileId[row] = isMarker ? '' : inputs[file]!.fileId;
      own.byteStart[row] = pointers.byteStart[at]!;
      own.byteLength[row] = isMarker ? markerBytes : pointers.byteLength[at]!;
      own.baseOffset[row] = pointers.baseOffset[at]!;
      own.nextOffset[row] = at + 1 < end ? pointers.baseOffset[at + 1]! : ranges.toOffset[range]!;
    }
    let endMarker = firstMarker;
    while (markers !== undefined && endMarker < markers.row.length && markers.row[endMarker]! < end)
      endMarker++;
    const topicId = topicIds[ranges.topic[range]!]!;
    const partition = ranges.partition[range]!;
    runs.push({
      topicId,
      partition,
      pointers:
        endMarker === firstMarker
          ? own
          : { ...own, markers: markersFrom(markers!, firstMarker, endMarker, first) },
    });
    first = end;
    firstMarker = endMarker;
  }
  return runs;
}

/** Some of the markers, with rows counted from `firstRow`. */
function markersFrom(markers: Markers, first: number, end: number, firstRow: number): Markers {
  return {
    row: markers.row.slice(first, end).map((row) => row - firstRow),
    isCommit: markers.isCommit.slice(first, end),
    producerId: markers.producerId.slice(first, end),
    producerEpoch: markers.producerEpoch.slice(first, end),
    timestampMs: markers.timestampMs.slice(first, end),
  };
}

/** The commit of some ranges of a job. */
export function commitOf(
  { plannedMs, inputs }: CompactionJob,
  files: CompactionCommit['outputs'],
  ranges: MergeResult['ranges'],
): CompactionCommit {
  const topicIds = [...new Set(ranges.map(({ topicId }) => topicId))];
  const topicOf = new Map(topicIds.map((topicId, index) => [topicId, index]));
  const fileOf = new Map(files.map(({ fileId }, index) => [fileId, index]));
  const pointers = ranges.flatMap((range) => range.pointers);
  return {
    plannedMs,
    inputFileIds: inputs.map(({ fileId }) => fileId),
    outputs: files,
    topicIds,
    ranges: {
      topic: Uint32Array.from(ranges, ({ topicId }) => topicOf.get(topicId)!),
      partition: Uint32Array.from(ranges, ({ partition }) => partition),
      fromOffset: Float64Array.from(ranges, ({ baseOffset }) => baseOffset),
      toOffset: Float64Array.from(ranges, ({ nextOffset }) => nextOffset),
      pointerCount: Uint32Array.from(ranges, (range) => range.pointers.length),
    },
    pointers: {
      file: Uint32Array.from(pointers, ({ fileId }) => fileOf.get(fileId)!),
      byteStart: Uint32Array.from(pointers, ({ byteStart }) => byteStart),
      byteLength: Uint32Array.from(pointers, ({ byteLength }) => byteLength),
      baseOffset: Float64Array.from(pointers, ({ baseOffset }) => baseOffset),
      maxTimestampMs: Float64Array.from(pointers, ({ maxTimestampMs }) => maxTimestampMs),
    },
  };
}
