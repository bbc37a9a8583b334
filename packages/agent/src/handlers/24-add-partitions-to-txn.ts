import type { TopicPartition } from '@weir/cluster';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { portionsOf } from '../cluster-calls/portions.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { refusalsByName } from '../topics/topic-refusals.ts';
import { transactionErrorFor } from '../transactions/transaction-errors.ts';

/**
 * AddPartitionsToTxn v0 to v3, from producers whose transactions keep one epoch. Later versions are for brokers and are
 * neither offered nor served.
 *
 * - It takes WRITE on the transactional id, without which every partition is TRANSACTIONAL_ID_AUTHORIZATION_FAILED, and WRITE on
 *   each topic.
 * - One partition that is refused fails all: it is TOPIC_AUTHORIZATION_FAILED, or UNKNOWN_TOPIC_OR_PARTITION when it is not there, and
 *   the others OPERATION_NOT_ATTEMPTED.
 * - A topic without partitions adds nothing, and is answered the same whether it is there, permitted or neither.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS, upon which producers wait and retry.
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

  /** What is true of all partitions; `undefined` when one of them is refused and nothing was tried. */
  async function addAll(): Promise<ErrorName | undefined> {
    const isRefused = topics.some(({ name, partitions }) =>
      partitions.some((partition) => refusalOf(name, partition) !== undefined),
    );
    if (isRefused) return undefined;
    const partitions = topics.flatMap(({ name, partitions }): TopicPartition[] => {
      // A topic without partitions was not looked at, and need not be there.
      if (partitions.length === 0) return [];
      const { topicId } = cluster.topicByName(name)!;
      return partitions.map((partition) => ({ topicId, partition }));
    });
    // What is too much for one call goes in several; adding a partition again changes nothing.
    const portions = portionsOf(partitions, () => 1);
    let error: ErrorName = 'NONE';
    for (const portion of portions.length === 0 ? [[]] : portions) {
      error = await add(portion);
      if (error !== 'NONE') break;
    }
    return error;
  }

  async function add(partitions: readonly TopicPartition[]): Promise<ErrorName> {
    const answer = await ifAvailable(
      cluster.port.addPartitionsToTransaction({
        transactionalId: request.v3AndBelowTransactionalId,
        producerId: Number(request.v3AndBelowProducerId),
        producerEpoch: request.v3AndBelowProducerEpoch,
        origin,
        partitions,
      }),
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
