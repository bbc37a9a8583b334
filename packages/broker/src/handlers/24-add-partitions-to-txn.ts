import type { TopicPartition } from '@weir/cluster';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import { portionsOf } from '../cluster-calls/portions.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { refusalsByName } from '../topics/topic-refusals.ts';
import { transactionErrorFor } from '../transactions/transaction-errors.ts';

/**
 * AddPartitionsToTxn v0 to v3, for producers that keep their epoch across transactions. Later versions are for brokers
 * and are neither advertised nor served.
 *
 * - Requires WRITE on the transactional id; otherwise every partition is TRANSACTIONAL_ID_AUTHORIZATION_FAILED.
 *   Requires WRITE on each topic.
 * - One refused partition fails the request: it is TOPIC_AUTHORIZATION_FAILED, or UNKNOWN_TOPIC_OR_PARTITION if it does
 *   not exist, and the others are OPERATION_NOT_ATTEMPTED.
 * - A topic without partitions adds nothing. Its response does not reveal whether the topic exists or is permitted.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS, and producers back off and
 *   retry.
 */
export const addPartitionsToTxnHandler: HandlerOf<Apis['AddPartitionsToTxn']> = async (request, context) => {
  const { apiVersion, access, cluster, origin } = context;
  const topics = request.v3AndBelowTopics;
  const deniedTopic = refusalsByName(context, 'WRITE');
  const error = access.may('WRITE', 'TRANSACTIONAL_ID', request.v3AndBelowTransactionalId)
    ? await addAll()
    : 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
  return {
    throttleTimeMs: 0,
    resultsByTopicV3AndBelow: topics.map(({ name, partitions }) => ({
      name,
      resultsByPartition: partitions.map((partition) => ({
        partitionIndex: partition,
        partitionErrorCode: errors[error ?? refusalOf(name, partition) ?? 'OPERATION_NOT_ATTEMPTED'].code,
      })),
    })),
  };

  /** Returns the error of all partitions; `undefined` if one of them is refused and none was added. */
  async function addAll(): Promise<ErrorName | undefined> {
    const isRefused = topics.some(({ name, partitions }) =>
      partitions.some((partition) => refusalOf(name, partition) !== undefined),
    );
    if (isRefused) return undefined;
    const partitions = topics.flatMap(({ name, partitions }): TopicPartition[] => {
      // A topic without partitions was not checked and need not exist.
      if (partitions.length === 0) return [];
      const { topicId } = cluster.topicByName(name)!;
      return partitions.map((partition) => ({ topicId, partition }));
    });
    // Large requests are split into several calls; adding a partition is idempotent.
    const portions = portionsOf(partitions, () => 1);
    let error: ErrorName = 'NONE';
    for (const portion of portions.length === 0 ? [[]] : portions) {
      error = await add(portion);
      if (error !== 'NONE') break;
    }
    return error;
  }

  async function add(partitions: readonly TopicPartition[]): Promise<ErrorName> {
    const answer = await coordinatorAnswer(
      cluster.port.addPartitionsToTransaction({
        transactionalId: request.v3AndBelowTransactionalId,
        producerId: Number(request.v3AndBelowProducerId),
        producerEpoch: request.v3AndBelowProducerEpoch,
        origin,
        partitions,
      }),
      context,
    );
    if (answer === undefined) return 'COORDINATOR_LOAD_IN_PROGRESS';
    return transactionErrorFor(answer.error, 'AddPartitionsToTxn', apiVersion);
  }

  function refusalOf(name: string, partition: number): ErrorName | undefined {
    const denied = deniedTopic(name);
    if (denied !== undefined) return denied;
    const topic = cluster.topicByName(name);
    const isThere = topic !== undefined && cluster.ends(topic.topicId, partition) !== undefined;
    return isThere ? undefined : 'UNKNOWN_TOPIC_OR_PARTITION';
  }
};
