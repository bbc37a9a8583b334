import type { AgentDescription } from '@weir/metadata';
import { type Apis, errors } from '@weir/wire';
import { mayFetch, mayProduce } from '../placement/roles.ts';
import type { HandlerOf } from './handler.ts';

/**
 * An agent that only fetches answers a Produce with NOT_LEADER_OR_FOLLOWER, and one that only produces a Fetch: the client then asks
 * for metadata and finds the agents that do. With acks 0 there is no answer, so that the connection is closed.
 */
export function producingRole(
  self: () => AgentDescription,
  handler: HandlerOf<Apis['Produce']>,
): HandlerOf<Apis['Produce']> {
  return (request, context) => {
    if (mayProduce(self().roles)) return handler(request, context);
    if (request.acks === 0) return 'close';
    return {
      responses: request.topicData.map(({ name, topicId, partitionData }) => ({
        name,
        topicId,
        partitionResponses: partitionData.map(({ index }) => ({
          index,
          errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
          baseOffset: -1n,
        })),
      })),
    };
  };
}

export function fetchingRole(
  self: () => AgentDescription,
  handler: HandlerOf<Apis['Fetch']>,
): HandlerOf<Apis['Fetch']> {
  return (request, context) => {
    if (mayFetch(self().roles)) return handler(request, context);
    return {
      throttleTimeMs: 0,
      responses: request.topics.map(({ topic, topicId, partitions }) => ({
        topic,
        topicId,
        partitions: partitions.map(({ partition }) => ({
          partitionIndex: partition,
          errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
          highWatermark: -1n,
          abortedTransactions: null,
          records: null,
        })),
      })),
    };
  };
}

export function shareFetchingRole(
  self: () => AgentDescription,
  handler: HandlerOf<Apis['ShareFetch']>,
): HandlerOf<Apis['ShareFetch']> {
  return (request, context) => {
    if (mayFetch(self().roles)) return handler(request, context);
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      acquisitionLockTimeoutMs: 0,
      responses: request.topics.map(({ topicId, partitions }) => ({
        topicId,
        partitions: partitions.map(({ partitionIndex }) => ({
          partitionIndex,
          errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
          acknowledgeErrorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
          currentLeader: { leaderId: -1, leaderEpoch: -1 },
          records: Buffer.alloc(0),
          acquiredRecords: [],
        })),
      })),
      nodeEndpoints: [],
    };
  };
}
