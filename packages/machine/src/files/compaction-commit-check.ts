import type { CompactionCommit, RangeColumns, RangePointerColumns } from '@weir/cluster';
import { fileIdLevel, isFileReference } from '@weir/core';
import { MalformedCommand } from '../command.ts';

const uint32Max = 2 ** 32 - 1;

/** Throws for a malformed commit that no correct agent sends, before anything is decided. */
export function checkCompactionCommit(commit: CompactionCommit): void {
  const problem =
    filesProblem(commit) ??
    columnsProblem(commit) ??
    rangesProblem(commit) ??
    pointersProblem(commit) ??
    keysProblem(commit);
  if (problem !== undefined) throw new MalformedCommand(`compaction: ${problem}`);
}

function filesProblem({ plannedMs, inputFileIds, outputs }: CompactionCommit): string | undefined {
  if (!Number.isSafeInteger(plannedMs) || plannedMs < 0) return `it was planned at ${plannedMs}`;
  const isId = (text: string) => /^[0-9a-f]{32}$/.test(text);
  for (const reference of inputFileIds)
    if (!isFileReference(reference)) return `the file id ${reference} is not 32 hex digits`;
  if (outputs.length === 0) return 'it has no files';
  if (new Set(outputs.map(({ fileId }) => fileId)).size < outputs.length) return 'it names a file twice';
  for (const { fileId, fileBytes } of outputs) {
    if (!isId(fileId)) return `the file id ${fileId} is not 32 hex digits`;
    if (fileIdLevel(fileId) === 0) return `the new file ${fileId} has level 0`;
    if (inputFileIds.includes(fileId)) return `the file ${fileId} is an input and new`;
    if (!Number.isInteger(fileBytes) || fileBytes < 0 || fileBytes > uint32Max) {
      return `the size of the file ${fileId} is ${fileBytes}`;
    }
  }
  return undefined;
}

function columnsProblem({ ranges, pointers }: CompactionCommit): string | undefined {
  const rangeColumns = [
    'partition',
    'fromOffset',
    'toOffset',
    'pointerCount',
  ] as const satisfies readonly (keyof RangeColumns)[];
  for (const name of rangeColumns) {
    if (ranges[name].length !== ranges.topic.length)
      return `the column ${name} has ${ranges[name].length} rows`;
  }
  const pointerColumns = [
    'byteStart',
    'byteLength',
    'baseOffset',
    'maxTimestampMs',
  ] as const satisfies readonly (keyof RangePointerColumns)[];
  for (const name of pointerColumns) {
    if (pointers[name].length !== pointers.file.length)
      return `the column ${name} has ${pointers[name].length} rows`;
  }
  return undefined;
}

function rangesProblem({ topicIds, ranges, pointers }: CompactionCommit): string | undefined {
  const ends = new Map<string, number>();
  let pointerCount = 0;
  for (let range = 0; range < ranges.topic.length; range++) {
    const from = ranges.fromOffset[range]!;
    const to = ranges.toOffset[range]!;
    const topicId = topicIds[ranges.topic[range]!];
    if (topicId === undefined) return `range ${range} points to topic ${ranges.topic[range]}`;
    if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from < to)) {
      return `range ${range} is from ${from} to ${to}`;
    }
    const key = `${ranges.partition[range]} ${topicId}`;
    if (from < (ends.get(key) ?? 0)) return `range ${range} begins within an earlier one`;
    ends.set(key, to);
    if (ranges.pointerCount[range] === 0) return `range ${range} has no pointers`;
    pointerCount += ranges.pointerCount[range]!;
  }
  return pointerCount === pointers.file.length
    ? undefined
    : `ranges have ${pointerCount} pointers and ${pointers.file.length} came`;
}

function pointersProblem({ outputs, ranges, pointers }: CompactionCommit): string | undefined {
  let row = 0;
  for (let range = 0; range < ranges.topic.length; range++) {
    let baseMin = ranges.fromOffset[range]!;
    for (let left = ranges.pointerCount[range]!; left > 0; left--, row++) {
      const output = outputs[pointers.file[row]!];
      if (output === undefined) return `pointer ${row} points to file ${pointers.file[row]}`;
      const byteLength = pointers.byteLength[row]!;
      if (byteLength === 0 || pointers.byteStart[row]! + byteLength > output.fileBytes) {
        return `pointer ${row} is not within its file`;
      }
      const base = pointers.baseOffset[row]!;
      const isFirst = left === ranges.pointerCount[range];
      const isInOrder = isFirst ? base === baseMin : base >= baseMin && base < ranges.toOffset[range]!;
      if (!Number.isSafeInteger(base) || !isInOrder) return `pointer ${row} begins at ${base}`;
      baseMin = base + 1;
      if (!Number.isSafeInteger(pointers.maxTimestampMs[row])) {
        return `the timestamp of pointer ${row} is ${pointers.maxTimestampMs[row]}`;
      }
    }
  }
  return undefined;
}

function keysProblem({ topicIds, ranges, keys }: CompactionCommit): string | undefined {
  if (keys === undefined) return undefined;
  const { partitions, droppedAborts } = keys;
  const ends = new Map<string, number>();
  for (const [range, topic] of ranges.topic.entries())
    ends.set(`${topic} ${ranges.partition[range]}`, ranges.toOffset[range]!);
  let abortCount = 0;
  for (let row = 0; row < partitions.topic.length; row++) {
    const place = `${partitions.topic[row]} ${partitions.partition[row]}`;
    const cleanOffset = partitions.cleanOffset[row]!;
    if (topicIds[partitions.topic[row]!] === undefined || !Number.isSafeInteger(cleanOffset))
      return `row ${row} of the compacted partitions is clean up to ${cleanOffset}`;
    if (!ends.delete(place)) return `row ${row} of the compacted partitions has no ranges`;
    abortCount += partitions.droppedAbortCount[row]!;
  }
  if (ends.size > 0) return 'it has ranges of partitions whose keys were not compacted';
  if (droppedAborts.some((offset) => !Number.isSafeInteger(offset) || offset < 0))
    return 'a transaction ends at no offset';
  return abortCount === droppedAborts.length
    ? undefined
    : `partitions have ${abortCount} ends of transactions and ${droppedAborts.length} came`;
}
