import type { ErrorCode, InputOf } from '@weir/api';
import {
  type BoundaryAnswer,
  type BoundaryRange,
  boundaryQueryKind,
  type CloneEnd,
  type ClusterPort,
  type Pointers,
  type TopicDescription,
} from '@weir/cluster';
import { internalTopicProblem, isInternalTopic } from '@weir/core';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { readTopic, readTopicsWithEnds } from './cluster-reads.ts';
import { askAgent } from './event-queries.ts';
import { refuse } from './refusals.ts';
import type { ClusterServices } from './services.ts';
import { partsOf } from './wire-values.ts';

type CloneInput = InputOf<'create_topic_clone'>;

const cloneCodes = {
  UNKNOWN_TOPIC_ID: 'not_found',
  UNKNOWN_TOPIC_OR_PARTITION: 'invalid_request',
  OFFSET_OUT_OF_RANGE: 'invalid_request',
  SOURCE_CHANGED: 'unavailable',
  TOPIC_ALREADY_EXISTS: 'topic_already_exists',
  // The name itself is already validated: what remains is a name that collides with another in metrics.
  INVALID_TOPIC_EXCEPTION: 'topic_already_exists',
  INVALID_CONFIG: 'invalid_topic_config',
  INVALID_PARTITIONS: 'limit_exceeded',
  POLICY_VIOLATION: 'limit_exceeded',
} as const satisfies Record<string, ErrorCode>;

/** Files are merged at most every few seconds, and a clone takes less. */
const attemptsMax = 4;

/** Ranges of one query: each takes about 150 bytes of it. */
const rangesPerQueryMax = 1_000;

export function topicCloneOperations({ clusterPort, freshUuid }: ClusterServices) {
  return {
    create_topic_clone: async (input, context) => {
      const { source_topic_name: from, topic_name: name } = input;
      for (const topic of [from, name]) {
        if (isInternalTopic(topic)) throw new OperationFailed('invalid_request', internalTopicProblem(topic));
      }
      const port = clusterPort(input.virtual_cluster_id);
      for (let attempt = 1; ; attempt++) {
        const source = await readTopic(port, from, context);
        if (source === undefined) throw new OperationFailed('not_found', `Topic ${from} not found.`);
        if ((await readTopic(port, name, context)) !== undefined)
          throw new OperationFailed('topic_already_exists', `Topic ${name} already exists.`);
        const wanted = await wantedEnds(port, source, input, context);
        const ends = await exactEnds(port, source, wanted, (request) =>
          askAgent(port, request, { queryId: freshUuid(), stop: context.stop }),
        );
        if (ends === undefined && attempt < attemptsMax) continue;
        const { configs, unsetConfigs } = configsOf(input.configs);
        const request = { sourceId: source.topicId, name, configs, unsetConfigs, ends: ends ?? [] };
        const result =
          ends === undefined
            ? {
                error: 'SOURCE_CHANGED' as const,
                message: `The files of the topic ${from} are being compacted; try again.`,
              }
            : await port.cloneTopic(request);
        if (result.error === 'SOURCE_CHANGED' && attempt < attemptsMax) continue;
        refuse(result, cloneCodes);
        if (!('topic' in result)) throw new Error('a clone without a topic');
        const starts = result.logStartOffset!;
        const requested = new Map(input.at_offsets?.map(({ partition, offset }) => [partition, offset]));
        return {
          topic_id: result.topic!.topicId,
          partitions: Array.from(result.nextOffset!, (endOffset, partition) => ({
            partition,
            start_offset: starts[partition]!,
            end_offset: endOffset,
            requested_offset: requested.get(partition) ?? null,
          })),
        };
      }
    },
  } satisfies SomeHandlers;
}

/** Where a partition should end. */
interface WantedEnd {
  readonly partition: number;
  readonly logStartOffset: number;
  /** The clone ends at it or before. */
  readonly offset: number;
  /** If it is given, the clone ends before records of this time, which begin in `range`. */
  readonly timestampMs?: number;
  readonly range?: Pointers;
}

/** Returns the ends that are wanted, without those of partitions that are cloned whole. */
async function wantedEnds(
  port: ClusterPort,
  { topicId, name, partitionCount }: TopicDescription,
  { at_offsets: offsets, at_timestamp: time }: CloneInput,
  context: CallContext,
): Promise<WantedEnd[]> {
  const found = await readTopicsWithEnds(port, [{ topicId }], context);
  const byPartition = new Map(offsets?.map(({ partition, offset }) => [partition, offset]));
  const outside = [...byPartition.keys()].find((partition) => partition >= partitionCount);
  if (outside !== undefined)
    throw new OperationFailed(
      'invalid_request',
      `The topic ${name} has ${partitionCount} partitions; partition ${outside} does not exist.`,
    );
  const timestampMs = time === undefined ? undefined : Date.parse(time);
  const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
  const ranges =
    timestampMs === undefined
      ? []
      : await port.findOffsets(
          partitions.map((partition) => ({ topicId, partition, want: 'first', timestampMs })),
        );
  return partitions.flatMap((partition): WantedEnd[] => {
    const ends = found.ends(topicId, partition);
    if (ends === undefined) return [];
    const { logStartOffset, lastStableOffset, nextOffset } = ends;
    const wanted = byPartition.get(partition);
    if (wanted !== undefined && (wanted < logStartOffset || wanted > lastStableOffset)) {
      const isOpen = lastStableOffset < nextOffset;
      throw new OperationFailed(
        'invalid_request',
        `Partition ${partition} of ${name} has offsets from ${logStartOffset} to ${lastStableOffset}${
          isOpen ? `, and open transactions up to ${nextOffset}` : ''
        }; ${wanted} is outside.`,
      );
    }
    const range = ranges[partition]?.pointers;
    const end = { partition, logStartOffset, offset: wanted ?? lastStableOffset };
    if (
      timestampMs !== undefined &&
      range !== undefined &&
      (range.baseOffset[0] ?? Infinity) < lastStableOffset
    )
      return [{ ...end, timestampMs, range }];
    // Without an end a clone has what was written until its command, which may be later than a wanted time.
    const isWhole = wanted === undefined && timestampMs === undefined && lastStableOffset === nextOffset;
    return isWhole ? [] : [end];
  });
}

type Ask = (request: object) => Promise<unknown>;

/**
 * Finds the batch boundaries at or before the wanted ends: those that begin a stored range are known, and agents read
 * the others. Returns `undefined` if files went away meanwhile.
 */
async function exactEnds(
  port: ClusterPort,
  { topicId }: TopicDescription,
  wanted: readonly WantedEnd[],
  ask: Ask,
): Promise<CloneEnd[] | undefined> {
  const byOffset = wanted.filter(({ range }) => range === undefined);
  const answers = await port.findBatches(
    byOffset.map(({ partition, offset }) => ({ topicId, partition, offset, bytesMax: 1 })),
  );
  const ranges = new Map(byOffset.map((end, index) => [end, answers[index]!.pointers]));
  const ends: CloneEnd[] = [];
  const unknown: { readonly end: WantedEnd; readonly range: BoundaryRange }[] = [];
  for (const end of wanted) {
    const { partition, offset, timestampMs, logStartOffset } = end;
    const pointers = end.range ?? ranges.get(end)!;
    const baseOffset = pointers.baseOffset[0];
    // Nothing lies at the end of a log, and a marker is whole.
    if (baseOffset === undefined || pointers.markers?.row[0] === 0 || baseOffset === offset) {
      ends.push({ partition, offset: Math.max(baseOffset ?? offset, logStartOffset) });
      continue;
    }
    const range = {
      fileId: pointers.fileId[0]!,
      byteStart: pointers.byteStart[0]!,
      byteLength: pointers.byteLength[0]!,
      baseOffset,
      nextOffset: pointers.nextOffset[0]!,
      offset,
      timestampMs,
    };
    unknown.push({ end, range });
  }
  for (const part of partsOf(unknown, rangesPerQueryMax)) {
    const found = (await ask({
      kind: boundaryQueryKind,
      ranges: part.map(({ range }) => range),
    })) as BoundaryAnswer;
    for (const [index, { end, range }] of part.entries()) {
      const boundary = found[index];
      if (boundary === null || boundary === undefined) return undefined;
      ends.push(endAt(end, range, boundary));
    }
  }
  return ends;
}

function endAt(
  { partition, logStartOffset }: WantedEnd,
  { fileId, byteStart, byteLength: rangeBytes }: BoundaryRange,
  { offset, byteLength, maxTimestampMs }: NonNullable<BoundaryAnswer[number]>,
): CloneEnd {
  if (offset <= logStartOffset) return { partition, offset: logStartOffset };
  if (byteLength === 0 || byteLength === rangeBytes) return { partition, offset };
  return { partition, offset, boundary: { fileId, byteStart, byteLength, maxTimestampMs } };
}

function configsOf(given: Readonly<Record<string, string | null>>) {
  const configs: Record<string, string> = {};
  const unsetConfigs: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === null) unsetConfigs.push(name);
    else configs[name] = value;
  }
  return { configs, unsetConfigs };
}
