import {
  type CloneEnd,
  type ClusterChange,
  replicationFactorOf,
  type TopicCloneResult,
  type TopicDescription,
  type TopicToClone,
  topicConfigValue,
} from '@weir/cluster';
import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import { type CloneCut, cloneLog, pointersBelow } from '../log/clone-log.ts';
import { markerFileSlot } from '../log/marker.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { decideCreateTopics } from './create-topics.ts';
import { readConfigs, topicOf, withFactor, writeConfigs } from './topic-entries.ts';
import type { Topic } from './topics.ts';

/** A decided clone: a topic whose partitions begin with the pointers of the source. */
interface TopicClone {
  readonly source: Topic;
  readonly description: TopicDescription;
  /** By partition. */
  readonly cuts: readonly CloneCut[];
}

interface Decision {
  readonly clone: TopicClone | undefined;
  readonly result: TopicCloneResult;
}

/**
 * Decides whether a topic is cloned and where its partitions end, without applying it. A partition ends at the wanted
 * offset, or else at its last stable offset, or where the pointer begins that covers that. A wanted end within a
 * pointer needs the place of the batch boundary in the file, which only agents know.
 */
export function decideCloneTopic(
  state: ClusterState,
  limits: MachineLimits,
  request: TopicToClone,
  topicId: string,
  nowMs: number,
): Decision {
  const { sourceId, name, configs, unsetConfigs, ends } = request;
  const source = state.topics.byId(sourceId);
  if (source === undefined) {
    return refused('UNKNOWN_TOPIC_ID', `Topic with id ${sourceId} does not exist.`);
  }
  const { description, partitions } = source;
  const kept = Object.entries(description.configs).filter(([config]) => !unsetConfigs.includes(config));
  const topic = {
    name,
    partitionCount: partitions.length,
    replicationFactor: replicationFactorOf(description),
    configs: { ...Object.fromEntries(kept), ...configs },
  };
  const {
    created: [created],
    results: [result],
  } = decideCreateTopics(state, limits, [topic], [topicId], nowMs);
  if (created === undefined) return { clone: undefined, result: result! };

  if (isCompacted(created.configs, state) && !isCompacted(description.configs, state)) {
    const problem = `The topic ${description.name} is not compacted and may have records without keys, so that its clone cannot be compacted.`;
    return refused('INVALID_CONFIG', problem);
  }

  const cuts = partitions.map((log): CloneCut => endAt(state, log, log.lastStableOffset));
  for (const end of ends) {
    const log = partitions[end.partition];
    if (log === undefined) {
      const problem = `The topic ${description.name} has no partition ${end.partition}.`;
      return refused('UNKNOWN_TOPIC_OR_PARTITION', problem);
    }
    const cut = endOf(state, log, description.name, end);
    if ('error' in cut) return cut;
    cuts[end.partition] = cut;
  }
  const pointerCount = cuts.reduce(
    (sum, cut, partition) => sum + pointersBelow(partitions[partition]!, cut),
    0,
  );
  const problem = pointersProblem(state, limits, pointerCount);
  if (problem !== undefined) return refused('POLICY_VIOLATION', problem);
  return { clone: { source, description: created, cuts }, result: result! };
}

/** Throws for a malformed request that no correct caller sends, before anything is decided. */
export function checkTopicToClone({ ends }: TopicToClone): void {
  const partitions = new Set<number>();
  for (const { partition, offset, boundary } of ends) {
    const numbers = [partition, offset, boundary?.byteStart ?? 0, boundary?.byteLength ?? 0];
    if (!numbers.every((number) => Number.isSafeInteger(number) && number >= 0)) {
      throw new MalformedCommand(`the end of partition ${partition} of a clone is ${offset}`);
    }
    if (!Number.isSafeInteger(boundary?.maxTimestampMs ?? 0)) {
      throw new MalformedCommand(
        `partition ${partition} of a clone has the timestamp ${boundary?.maxTimestampMs}`,
      );
    }
    if (partitions.has(partition))
      throw new MalformedCommand(`partition ${partition} of a clone has two ends`);
    partitions.add(partition);
  }
}

function isCompacted(configs: Readonly<Record<string, string>>, { clusterConfigs }: ClusterState): boolean {
  return topicConfigValue('cleanup.policy', configs, clusterConfigs).includes('compact');
}

function endOf(
  state: ClusterState,
  log: PartitionLog,
  name: string,
  { offset, boundary, roundsDown }: CloneEnd,
): CloneCut | (Decision & { error: true }) {
  const { logStartOffset, lastStableOffset, partition } = log;
  if (!(offset >= logStartOffset && offset <= lastStableOffset)) {
    const range = `${logStartOffset} to ${lastStableOffset}`;
    const problem = `Partition ${partition} of the topic ${name} can be cloned up to an offset from ${range}, not ${offset}.`;
    return { ...refused('OFFSET_OUT_OF_RANGE', problem), error: true };
  }
  if (boundary === undefined) {
    const cut = endAt(state, log, offset);
    if (cut.endOffset === offset || roundsDown === true) return cut;
  }
  const { files, pointers } = state;
  const slot = log.pointerCount === 0 ? -1 : log.slot(log.indexOfOffset(offset));
  const isThere =
    boundary !== undefined &&
    slot >= 0 &&
    pointers.fileSlot(slot) !== markerFileSlot &&
    files.reference(pointers.fileSlot(slot)) === boundary.fileId &&
    pointers.byteStart(slot) === boundary.byteStart &&
    pointers.baseOffset(slot) < offset &&
    boundary.byteLength > 0 &&
    boundary.byteLength < pointers.byteLength(slot);
  if (!isThere) {
    const problem = `The files of partition ${partition} of the topic ${name} were merged in the meantime; try again.`;
    return { ...refused('SOURCE_CHANGED', problem), error: true };
  }
  if (offset <= logStartOffset) return { endOffset: logStartOffset };
  return {
    endOffset: offset,
    lastPointer: { byteLength: boundary.byteLength, maxTimestampMs: boundary.maxTimestampMs },
  };
}

/** Ends at an offset, or where the pointer begins that covers it. */
function endAt({ pointers }: ClusterState, log: PartitionLog, offset: number): CloneCut {
  const { logStartOffset, nextOffset } = log;
  if (offset === nextOffset || offset <= logStartOffset)
    return { endOffset: Math.max(offset, logStartOffset) };
  const baseOffset = pointers.baseOffset(log.slot(log.indexOfOffset(offset)));
  return { endOffset: Math.max(baseOffset, logStartOffset) };
}

/** A clone has pointers without having written anything, so their number is bounded here. */
function pointersProblem(
  { topics }: ClusterState,
  { clonePointersMax, pointersHeldMax }: MachineLimits,
  pointerCount: number,
): string | undefined {
  if (pointerCount > clonePointersMax) {
    return `The topic has ${pointerCount} ranges in files, and a clone has at most ${clonePointersMax}. Merged files have fewer.`;
  }
  let heldCount = 0;
  for (const { partitions } of topics.held()) for (const log of partitions) heldCount += log.pointerCount;
  if (heldCount + pointerCount > pointersHeldMax) {
    return `The cluster has ${heldCount} of at most ${pointersHeldMax} ranges in files, and the clone needs ${pointerCount} more. Delete clones that are no longer needed.`;
  }
  return undefined;
}

function refused(error: Exclude<TopicCloneResult['error'], 'NONE'>, message: string): Decision {
  return { clone: undefined, result: { error, message, topic: undefined } };
}

/**
 * Source, then the topic as in `replicatedTopicsCreated`, then per partition: its end, the length of its last pointer
 * where that is cut or 0, and the latest timestamp in it then.
 */
export function writeTopicCloned(writer: ByteWriter, { source, description, cuts }: TopicClone): void {
  writer.varint(source.number);
  writer.text(description.topicId);
  writer.text(description.name);
  writer.varint(cuts.length);
  writer.varint(replicationFactorOf(description));
  writeConfigs(writer, description.configs);
  for (const { endOffset, lastPointer } of cuts) {
    writer.varint(endOffset);
    writer.varint(lastPointer?.byteLength ?? 0);
    if (lastPointer !== undefined) writer.f64(lastPointer.maxTimestampMs);
  }
}

/** Followers see a topic that appears with the ends of its partitions. */
export function applyTopicCloned(state: ClusterState, reader: ByteReader): ClusterChange[] {
  const source = topicOf(state, reader.varint());
  const topic = state.topics.create({
    topicId: reader.text(),
    name: reader.text(),
    partitionCount: reader.varint(),
    ...withFactor(reader.varint()),
    configs: readConfigs(reader),
    createdMs: state.nowMs,
  });
  const { description, partitions } = topic;
  if (partitions.length !== source.partitions.length) {
    throw new UnreadableBytes(`a clone has ${partitions.length} of ${source.partitions.length} partitions`);
  }
  for (const [partition, log] of partitions.entries()) {
    const endOffset = reader.varint();
    const byteLength = reader.varint();
    const cut =
      byteLength === 0
        ? { endOffset }
        : { endOffset, lastPointer: { byteLength, maxTimestampMs: reader.f64() } };
    cloneLog(state, source.partitions[partition]!, log, cut);
  }
  return [
    {
      kind: 'topicRestored',
      topic: description,
      logStartOffset: Float64Array.from(partitions, ({ logStartOffset }) => logStartOffset),
      nextOffset: Float64Array.from(partitions, ({ nextOffset }) => nextOffset),
      lastStableOffset: Float64Array.from(partitions, ({ lastStableOffset }) => lastStableOffset),
    },
  ];
}
