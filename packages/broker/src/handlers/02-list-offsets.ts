import type { BatchesAnswer, OffsetAnswer } from '@weir/cluster';
import { nextTurn } from '@weir/core';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { DamageRegistry } from '../damage/damage-registry.ts';
import { ClientInflation } from '../inflation/client-inflation.ts';
import { leaderEpoch } from '../read-path/batch-list.ts';
import { DamagedRange } from '../read-path/damaged-range.ts';
import type { ReadPath } from '../read-path/read-path.ts';
import { FirstRecord, type FoundRecord, LatestRecord, searchRecords } from '../read-path/record-search.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { Turns } from '../requests/turns.ts';
import { refusalsByName } from '../topics/topic-refusals.ts';

type ListOffsetsApi = Apis['ListOffsets'];
type PartitionResponse = ResponseOf<ListOffsetsApi>['topics'][number]['partitions'][number];

interface ListOffsetsOptions {
  readonly readPath: ReadPath;
  readonly damage: DamageRegistry;
  /** Shared by all APIs that decompress for clients. */
  readonly inflation?: ClientInflation;
}

const readCommitted = 1;

/** Special timestamps, with the version that introduced each. */
const positions = {
  latest: { timestamp: -1n, fromVersion: 1 },
  earliest: { timestamp: -2n, fromVersion: 1 },
  maxTimestamp: { timestamp: -3n, fromVersion: 7 },
  earliestLocal: { timestamp: -4n, fromVersion: 8 },
  latestTiered: { timestamp: -5n, fromVersion: 9 },
  earliestPendingUpload: { timestamp: -6n, fromVersion: 11 },
} as const;

type Position = keyof typeof positions;

interface Question {
  readonly topicId: string;
  readonly partition: number;
  readonly position: Position | undefined;
  readonly timestamp: bigint;
  readonly answer: (response: Answer) => void;
}

type KnownEnds = Pick<BatchesAnswer, 'error' | 'logStartOffset' | 'nextOffset' | 'lastStableOffset'>;

interface Answer {
  readonly errorCode: number;
  readonly timestamp: bigint;
  readonly offset: bigint;
  readonly leaderEpoch: number;
}

/**
 * ListOffsets, v1 to v11. End offsets come from the control plane and not from the cluster view, so that a client that
 * learned of a write from another agent finds it counted here. For a timestamp, the control plane returns a range, and
 * the agent reads it to find the record.
 *
 * With ripcord, ends come from the view while there has been no leader for long.
 *
 * With read_committed, the latest offset is the last stable offset, and a timestamp finds only records before it.
 *
 * There is no tiering: everything is local, nothing is tiered and nothing is pending upload.
 *
 * Requires DESCRIBE on the topic; otherwise its partitions are TOPIC_AUTHORIZATION_FAILED, before any other check.
 */
export function listOffsetsHandler({
  readPath,
  damage,
  inflation = new ClientInflation(),
}: ListOffsetsOptions): HandlerOf<ListOffsetsApi> {
  return async (request, context) => {
    const { topics, questions } = await validate(request, context);
    const isCommitted = request.isolationLevel === readCommitted;
    const byTime = questions.filter(isByTime);
    const byEnd = questions.filter((question) => !isByTime(question));
    const [ends, ranges] = await Promise.all([
      askEnds(isCommitted ? questions : byEnd, context),
      askRanges(byTime, context),
    ]);
    for (const question of byEnd) question.answer(answerEnd(question, ends?.get(question), isCommitted));
    await Promise.all(
      byTime.map(async (question) => {
        const range = ranges?.get(question);
        if (range === undefined || ends === undefined) {
          question.answer(failed('LEADER_NOT_AVAILABLE'));
          return;
        }
        const response = await answerTime(question, range, context);
        const stableOffset = ends.get(question)?.lastStableOffset ?? Number.POSITIVE_INFINITY;
        question.answer(response.offset < stableOffset ? response : nothing);
      }),
    );
    return { throttleTimeMs: 0, topics };
  };

  async function answerTime(
    { topicId, partition, position, timestamp }: Question,
    { error, pointers }: OffsetAnswer,
    context: RequestContext,
  ): Promise<Answer> {
    const { cluster, clock, log } = context;
    if (error !== 'NONE') return failed(nameError(error));
    const logStartOffset = cluster.ends(topicId, partition)?.logStartOffset ?? 0;
    const search =
      position === 'maxTimestamp' ? new LatestRecord() : new FirstRecord(timestamp, logStartOffset);
    try {
      const pause = () => nextTurn(clock);
      await searchRecords(pointers, search, { readPath, inflation, connection: context, pause });
    } catch (problem) {
      // Clients retry until their own timeout, which they report to the application.
      if (problem instanceof DamagedRange) damage.found(topicId, partition, problem);
      else log.error('failed to search batches', { topicId, partition, error: String(problem) });
      return failed('KAFKA_STORAGE_ERROR');
    }
    const record = search.found;
    if (record === undefined) return nothing;
    // The range may begin with deleted records.
    return found({ ...record, offset: Math.max(record.offset, logStartOffset) });
  }
}

function isByTime({ position }: Question): boolean {
  return position === undefined || position === 'maxTimestamp';
}

/** Returns `undefined` if the control plane is unavailable, like `askRanges`. */
async function askEnds(
  questions: readonly Question[],
  { cluster }: RequestContext,
): Promise<Map<Question, KnownEnds | undefined> | undefined> {
  if (questions.length === 0) return new Map();
  if (cluster.isLeaderless())
    return new Map(questions.map((question) => [question, known(question, cluster)]));
  const answers = await ifAvailable(
    cluster.port.findBatches(
      questions.map(({ topicId, partition }) => ({
        topicId,
        partition,
        offset: cluster.ends(topicId, partition)?.nextOffset ?? 0,
        bytesMax: 1,
      })),
    ),
  );
  return answers && new Map(questions.map((question, index) => [question, answers[index]!]));
}

/** What this agent knows, while no leader does. */
function known({ topicId, partition }: Question, cluster: ClusterView): KnownEnds | undefined {
  const ends = cluster.ends(topicId, partition);
  return ends && { error: 'NONE', ...ends };
}

async function askRanges(
  questions: readonly Question[],
  { cluster }: RequestContext,
): Promise<Map<Question, OffsetAnswer> | undefined> {
  if (questions.length === 0) return new Map();
  const answers = await ifAvailable(
    cluster.port.findOffsets(
      questions.map(({ topicId, partition, position, timestamp }) => ({
        topicId,
        partition,
        want: position === 'maxTimestamp' ? 'latest' : 'first',
        timestampMs: Number(timestamp),
      })),
    ),
  );
  return answers && new Map(questions.map((question, index) => [question, answers[index]!]));
}

function answerEnd({ position }: Question, ends: KnownEnds | undefined, isCommitted: boolean): Answer {
  if (ends === undefined) return failed('LEADER_NOT_AVAILABLE');
  const { error, logStartOffset, nextOffset, lastStableOffset } = ends;
  // Only the queried offset was out of range; the ends in the answer are valid.
  if (error !== 'NONE' && error !== 'OFFSET_OUT_OF_RANGE') return failed(nameError(error));
  if (position !== 'latest') return found({ offset: logStartOffset, timestamp: -1n });
  return found({ offset: isCommitted ? lastStableOffset : nextOffset, timestamp: -1n });
}

async function validate(request: RequestOf<ListOffsetsApi>, context: RequestContext) {
  const { cluster, apiVersion } = context;
  const turns = new Turns(context.clock);
  const questions: Question[] = [];
  const refusalOf = refusalsByName(context, 'DESCRIBE');
  const repeated = await repeatedPartitions(request, turns);
  const topics: { name: string; partitions: PartitionResponse[] }[] = [];
  for (const { name, partitions } of request.topics) {
    const topic = cluster.topicByName(name);
    const refusal = refusalOf(name);
    const repeatedHere = repeated.get(name);
    const responses: PartitionResponse[] = [];
    for (const { partitionIndex, timestamp, currentLeaderEpoch } of partitions) {
      const at = responses.length;
      const answer: Question['answer'] = (response) => {
        responses[at] = { partitionIndex, ...response, ...(apiVersion < 4 ? { leaderEpoch: -1 } : {}) };
      };
      const position = positionOf(timestamp);
      answer(nothing);
      if (refusal !== undefined) answer(failed(refusal));
      else if (repeatedHere?.has(partitionIndex) === true) answer(failed('INVALID_REQUEST'));
      else if (timestamp < 0n && (position === undefined || apiVersion < positions[position].fromVersion))
        answer(failed('UNSUPPORTED_VERSION'));
      else if (topic === undefined || cluster.ends(topic.topicId, partitionIndex) === undefined)
        answer(failed('UNKNOWN_TOPIC_OR_PARTITION'));
      else if (currentLeaderEpoch > leaderEpoch) answer(failed('UNKNOWN_LEADER_EPOCH'));
      else if (currentLeaderEpoch >= 0 && currentLeaderEpoch < leaderEpoch)
        answer(failed('FENCED_LEADER_EPOCH'));
      else if (position !== 'latestTiered' && position !== 'earliestPendingUpload')
        questions.push({ topicId: topic.topicId, partition: partitionIndex, position, timestamp, answer });
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    topics.push({ name, partitions: responses });
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return { topics, questions };
}

/** Returns the partitions that are named more than once, by topic. */
async function repeatedPartitions({ topics }: RequestOf<ListOffsetsApi>, turns: Turns) {
  const seenOf = new Map<string, Set<number>>();
  const repeated = new Map<string, Set<number>>();
  for (const { name, partitions } of topics) {
    const seen = seenOf.get(name) ?? new Set();
    seenOf.set(name, seen);
    for (const { partitionIndex } of partitions) {
      if (seen.has(partitionIndex)) {
        const here = repeated.get(name) ?? new Set();
        repeated.set(name, here.add(partitionIndex));
      }
      seen.add(partitionIndex);
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return repeated;
}

function positionOf(timestamp: bigint): Position | undefined {
  return (Object.keys(positions) as Position[]).find((name) => positions[name].timestamp === timestamp);
}

const nothing = { errorCode: errors.NONE.code, timestamp: -1n, offset: -1n, leaderEpoch: -1 } as const;

function failed(error: ErrorName): Answer {
  return { ...nothing, errorCode: errors[error].code };
}

function found({ offset, timestamp }: FoundRecord): Answer {
  return { errorCode: errors.NONE.code, timestamp, offset: BigInt(offset), leaderEpoch };
}

/** This API addresses topics by name only. */
function nameError(error: ErrorName): ErrorName {
  return error === 'UNKNOWN_TOPIC_ID' ? 'UNKNOWN_TOPIC_OR_PARTITION' : error;
}
