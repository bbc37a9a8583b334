import type {
  CommittedOffset,
  GroupError,
  OffsetsAnswer,
  OffsetsQuery,
  TopicDescription,
  TopicPartition,
} from '@weir/cluster';
import { nextTurn } from '@weir/core';
import type { Access } from '@weir/security';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { GroupCalls } from '../cluster-calls/group-calls.ts';
import { portionsOf } from '../cluster-calls/portions.ts';
import { brokerLimits } from '../limits.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { inTurns, TurnCount, type WorkInTurns } from '../requests/turns.ts';

const manyGroupsFromVersion = 8;
const epochsFromVersion = 9;
const topicIdsFromVersion = 10;
const groupErrorFromVersion = 2;

/** What a group costs, in entries, and how many of them make a turn. */
const groupCost = 2;
const groupsAtOnce = brokerLimits.entriesPerTurnMax / groupCost;

/** One group of a request, independent of the version. */
interface RequestedGroup {
  readonly groupId: string;
  readonly memberId: string | null;
  readonly memberEpoch: number;
  readonly topics: readonly RequestedTopic[] | null;
}

interface RequestedTopic {
  readonly name: string;
  readonly topicId?: string;
  readonly partitionIndexes: readonly number[];
}

/** A topic of a request with its description, or with the error of its partitions (`NONE` for an unknown name). */
interface FoundTopic extends RequestedTopic {
  readonly found: TopicDescription | ErrorName;
}

/** What a group asks for, and the question about it that is under way. */
interface AskedGroup {
  readonly found: readonly FoundTopic[] | undefined;
  readonly answer: Promise<OffsetsAnswer | undefined>;
}

interface AnsweredGroup {
  readonly groupId: string;
  readonly topics: AnsweredTopic[];
  readonly errorCode: number;
}

interface AnsweredPartition {
  readonly partitionIndex: number;
  readonly committedOffset: bigint;
  readonly committedLeaderEpoch: number;
  readonly metadata: string;
  readonly errorCode: number;
}

interface AnsweredTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: AnsweredPartition[];
}

const zeroId = Buffer.alloc(16).toString('base64url');

/**
 * OffsetFetch v1 to v10. Concurrent queries are sent to the control plane in one call; a query that is too large for
 * one call is split.
 *
 * - A group that does not exist, and a partition without a commit, are not errors.
 * - An unknown topic has no commit; by its id (v10) it is UNKNOWN_TOPIC_ID.
 * - `requireStable` is honoured in every version that has it.
 * - Up to v7 there is one group. Its error is at the top level from v2 on and at each partition in v1.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and clients back off and
 *   retry.
 * - Requires DESCRIBE on the group. Partitions of topics that the client may not DESCRIBE are
 *   TOPIC_AUTHORIZATION_FAILED; a request for all partitions omits them.
 */
export function offsetFetchHandler({ queries }: GroupCalls): HandlerOf<Apis['OffsetFetch']> {
  return async (request, context) => {
    const { apiVersion, clock, cluster, access } = context;
    const { requireStable } = request;
    const turns = new TurnCount();
    if (apiVersion >= manyGroupsFromVersion) {
      return { throttleTimeMs: 0, groups: await fetchAll(request.groups) };
    }
    const group = { groupId: request.groupId, memberId: null, memberEpoch: -1, topics: request.topics };
    const [answer] = await fetch([group]);
    const { topics, errorCode } = answer!;
    if (apiVersion >= groupErrorFromVersion || errorCode === errors.NONE.code) {
      return { throttleTimeMs: 0, topics, errorCode };
    }
    return { throttleTimeMs: 0, topics: allFailed(request.topics ?? [], errorCode) };

    /** Groups that are asked for together share a call. */
    async function fetchAll(requested: readonly RequestedGroup[]) {
      const groups: AnsweredGroup[] = [];
      for (let at = 0; at < requested.length; at += groupsAtOnce) {
        for (const group of await fetch(requested.slice(at, at + groupsAtOnce))) groups.push(group);
        if (at + groupsAtOnce < requested.length) await nextTurn(clock);
      }
      return groups;
    }

    /** Takes groups step by step: an asynchronous function for each of a thousand would occupy the thread too long. */
    async function fetch(groups: readonly RequestedGroup[]): Promise<AnsweredGroup[]> {
      const asked: (AskedGroup | undefined)[] = [];
      for (const group of groups) {
        const step = inTurns(ask(group), clock);
        asked.push(step instanceof Promise ? await step : step);
      }
      const answers = await Promise.all(asked.map((group) => group?.answer));
      const answeredGroups: AnsweredGroup[] = [];
      for (const [index, { groupId }] of groups.entries()) {
        const step = inTurns(answerOf(groupId, asked[index], answers[index]), clock);
        answeredGroups.push(step instanceof Promise ? await step : step);
      }
      return answeredGroups;
    }

    /** Asks for the offsets of a group, unless the client may not know them. */
    function* ask(group: RequestedGroup): WorkInTurns<AskedGroup | undefined> {
      const { groupId, memberId, memberEpoch, topics } = group;
      if (!access.may('DESCRIBE', 'GROUP', groupId)) return undefined;
      const found = topics === null ? undefined : yield* findTopics(topics);
      const partitions = found === undefined ? null : yield* partitionsOf(found);
      const query = { groupId, memberId, memberEpoch, requireStable, partitions };
      return { found, answer: coordinatorAnswer(askInPortions(query), context) };
    }

    function* answerOf(
      groupId: string,
      asked: AskedGroup | undefined,
      answer: OffsetsAnswer | undefined,
    ): WorkInTurns<AnsweredGroup> {
      if (asked === undefined) {
        return { groupId, topics: [], errorCode: errors.GROUP_AUTHORIZATION_FAILED.code };
      }
      if (answer === undefined || answer.error !== 'NONE') {
        const error = answer === undefined ? 'COORDINATOR_LOAD_IN_PROGRESS' : errorFor(answer.error);
        return { groupId, topics: [], errorCode: errors[error].code };
      }
      const topics =
        asked.found === undefined ? allOf(answer, cluster, access) : yield* inOrder(asked.found, answer);
      return { groupId, topics, errorCode: errors.NONE.code };
    }

    function* findTopics(requested: readonly RequestedTopic[]): WorkInTurns<FoundTopic[]> {
      const topics: FoundTopic[] = [];
      for (const topic of requested) {
        topics.push({ ...topic, found: findTopic(topic) });
        if (turns.ends()) yield;
      }
      return topics;
    }

    function* partitionsOf(topics: readonly FoundTopic[]): WorkInTurns<TopicPartition[]> {
      const partitions: TopicPartition[] = [];
      for (const { found, partitionIndexes } of topics) {
        if (typeof found === 'string') continue;
        const { topicId } = found;
        for (const partition of partitionIndexes) {
          partitions.push({ topicId, partition });
          if (turns.ends()) yield;
        }
      }
      return partitions;
    }

    /** Returns the offsets of all portions, or the first answer with an error. */
    function askInPortions(query: OffsetsQuery): Promise<OffsetsAnswer> {
      const portions = portionsOf(query.partitions ?? [], () => 1);
      return portions.length <= 1 ? queries.ask(query) : askInTurn(query, portions);
    }

    async function askInTurn(
      query: OffsetsQuery,
      portions: readonly TopicPartition[][],
    ): Promise<OffsetsAnswer> {
      const offsets: CommittedOffset[] = [];
      for (const partitions of portions) {
        const answer = await queries.ask({ ...query, partitions });
        if (answer.error !== 'NONE') return answer;
        for (const offset of answer.offsets) offsets.push(offset);
      }
      return { error: 'NONE', offsets };
    }

    /** Returns the topic, or the error for each of its partitions (`NONE` for an unknown name). */
    function findTopic({ name, topicId }: RequestedTopic): TopicDescription | ErrorName {
      const byId = apiVersion >= topicIdsFromVersion;
      const topic = byId ? cluster.topicById(topicId ?? '') : cluster.topicByName(name);
      if (byId && topic === undefined) return 'UNKNOWN_TOPIC_ID';
      if (!access.may('DESCRIBE', 'TOPIC', topic?.name ?? name)) return 'TOPIC_AUTHORIZATION_FAILED';
      return topic ?? 'NONE';
    }

    function errorFor(error: GroupError): ErrorName {
      const isUnknownBefore = error === 'STALE_MEMBER_EPOCH' && apiVersion < epochsFromVersion;
      return isUnknownBefore ? 'ILLEGAL_GENERATION' : error;
    }

    function* inOrder(
      requested: readonly FoundTopic[],
      { offsets }: OffsetsAnswer,
    ): WorkInTurns<AnsweredTopic[]> {
      let next = 0;
      const topics: AnsweredTopic[] = [];
      for (const { name, topicId, partitionIndexes, found } of requested) {
        const partitions: AnsweredPartition[] = [];
        for (const partition of partitionIndexes) {
          const isUnknown = typeof found === 'string';
          partitions.push(isUnknown ? nothing(partition, errors[found].code) : answered(offsets[next++]!));
          if (turns.ends()) yield;
        }
        topics.push({ name, topicId: topicId ?? zeroId, partitions });
      }
      return topics;
    }
  };
}

/** Returns all commits of the group. Omits deleted topics and topics that the client may not DESCRIBE. */
function allOf({ offsets }: OffsetsAnswer, cluster: ClusterView, access: Access): AnsweredTopic[] {
  const topics = new Map<string, AnsweredTopic | undefined>();
  for (const offset of offsets) {
    const { topicId } = offset;
    if (!topics.has(topicId)) topics.set(topicId, shownTopic(topicId));
    topics.get(topicId)?.partitions.push(answered(offset));
  }
  return [...topics.values()].filter((topic) => topic !== undefined);

  function shownTopic(topicId: string): AnsweredTopic | undefined {
    const name = cluster.topicById(topicId)?.name;
    if (name === undefined || !access.mayQuietly('DESCRIBE', 'TOPIC', name)) return undefined;
    return { name, topicId, partitions: [] };
  }
}

function allFailed(topics: readonly RequestedTopic[], errorCode: number): AnsweredTopic[] {
  return topics.map(({ name, partitionIndexes }) => ({
    name,
    topicId: zeroId,
    partitions: partitionIndexes.map((partition) => nothing(partition, errorCode)),
  }));
}

function answered({ partition, offset, leaderEpoch, metadata, error }: CommittedOffset): AnsweredPartition {
  if (error !== 'NONE') return nothing(partition, errors[error].code);
  return {
    partitionIndex: partition,
    committedOffset: BigInt(offset),
    committedLeaderEpoch: leaderEpoch,
    metadata,
    errorCode: errors.NONE.code,
  };
}

function nothing(partitionIndex: number, errorCode: number): AnsweredPartition {
  return { partitionIndex, committedOffset: -1n, committedLeaderEpoch: -1, metadata: '', errorCode };
}
