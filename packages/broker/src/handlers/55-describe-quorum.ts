import { mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type ResponseOf, zeroUuid } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { PlacementOf } from '../placement/described-agents.ts';
import type { Placement } from '../placement/placement.ts';
import type { HandlerOf } from '../requests/handler.ts';

type Response = ResponseOf<Apis['DescribeQuorum']>;
type Partition = Response['topics'][number]['partitions'][number];

/** Topic of Kafka's metadata log. It has one partition. */
const metadataTopic = '__cluster_metadata';

/**
 * DescribeQuorum v0 to v2: reports the journal of the cluster as a quorum. The journal is in the control plane, which
 * clients cannot reach; the agent that they see as the controller is reported as the leader and only voter.
 *
 * - The epoch is that of the leader of the cluster, and the high watermark is the number of journal entries.
 * - Any other partition is UNKNOWN_TOPIC_OR_PARTITION.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - Requires DESCRIBE on the cluster.
 */
export function describeQuorumHandler(placementOf: PlacementOf): HandlerOf<Apis['DescribeQuorum']> {
  return async (request, context) => {
    if (!mayOnCluster(context.access, 'DESCRIBE')) return failed('CLUSTER_AUTHORIZATION_FAILED');
    const journal = await ifAvailable(context.cluster.port.describeJournal());
    if (journal === undefined) return failed('NOT_CONTROLLER');
    const placement = placementOf(context);
    const { controller } = placement;
    const nowMs = BigInt(context.clock.nowMs());
    const voter = {
      replicaId: controller.nodeId,
      replicaDirectoryId: zeroUuid,
      logEndOffset: BigInt(journal.position),
      lastFetchTimestamp: nowMs,
      lastCaughtUpTimestamp: nowMs,
    };
    return {
      errorCode: errors.NONE.code,
      errorMessage: null,
      topics: request.topics.map(({ topicName, partitions }) => ({
        topicName,
        partitions: partitions.map(({ partitionIndex }): Partition => {
          if (topicName !== metadataTopic || partitionIndex !== 0) return unknown(partitionIndex);
          return {
            partitionIndex,
            errorCode: errors.NONE.code,
            errorMessage: null,
            leaderId: controller.nodeId,
            leaderEpoch: journal.epoch,
            highWatermark: BigInt(journal.position),
            currentVoters: [voter],
            observers: [],
          };
        }),
      })),
      nodes: context.apiVersion >= nodesFromVersion ? [nodeOf(placement)] : [],
    };
  };
}

const nodesFromVersion = 2;

function nodeOf({ controller, hostOf }: Placement) {
  const listener = { name: 'CONTROLLER', host: hostOf(controller), port: controller.kafkaPort };
  return { nodeId: controller.nodeId, listeners: [listener] };
}

function unknown(partitionIndex: number): Partition {
  const { code: errorCode, message: errorMessage } = errors.UNKNOWN_TOPIC_OR_PARTITION;
  return {
    partitionIndex,
    errorCode,
    errorMessage,
    leaderId: -1,
    leaderEpoch: 0,
    highWatermark: 0n,
    currentVoters: [],
    observers: [],
  };
}

function failed(error: ErrorName): Response {
  const { code: errorCode, message: errorMessage } = errors[error];
  return { errorCode, errorMessage, topics: [], nodes: [] };
}
