import { clusterResourceName } from '@weir/core';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import { brokerLimits } from '../limits.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { refusalsByName } from '../topics/topic-refusals.ts';
import {
  addPartitions,
  hasRefusal,
  type NamedTopic,
  type NamedTransaction,
  type PartitionRefusals,
} from '../transactions/add-partitions.ts';
import { checkPartitions } from '../transactions/check-partitions.ts';

/**
 * AddPartitionsToTxn v0 to v5. Up to v3 a request is of one producer, which keeps its epoch across transactions; later
 * versions have any number of transactions, and can only ask whether partitions are in one.
 *
 * - Requires WRITE on the transactional id; otherwise every partition is TRANSACTIONAL_ID_AUTHORIZATION_FAILED.
 *   Requires WRITE on each topic. From v4 on, CLUSTER_ACTION on the cluster replaces both: Kafka demands it there, and
 *   here clients that use the highest version are served too.
 * - One refused partition fails its transaction: it is TOPIC_AUTHORIZATION_FAILED, or UNKNOWN_TOPIC_OR_PARTITION if it
 *   does not exist, and the others are OPERATION_NOT_ATTEMPTED.
 * - An empty transactional id is INVALID_REQUEST.
 * - A topic without partitions adds nothing. Its response does not reveal whether the topic exists or is permitted.
 * - A partition that is asked about and not in the open transaction is TRANSACTION_ABORTABLE, or INVALID_TXN_STATE in
 *   v4.
 * - If the control plane is unavailable or fails, or a request has too many transactions, the error is
 *   COORDINATOR_LOAD_IN_PROGRESS, and producers back off and retry.
 */
export const addPartitionsToTxnHandler: HandlerOf<Apis['AddPartitionsToTxn']> = async (request, context) => {
  if (context.apiVersion >= manyFromVersion) return addForMany(request.transactions, context);
  const transaction = {
    transactionalId: request.v3AndBelowTransactionalId,
    producerId: request.v3AndBelowProducerId,
    producerEpoch: request.v3AndBelowProducerEpoch,
    topics: request.v3AndBelowTopics,
  };
  const isAllowed = context.access.may('WRITE', 'TRANSACTIONAL_ID', transaction.transactionalId);
  const error = isAllowed
    ? await added(transaction, refusalsIn(context, false), context)
    : () => 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED' as const;
  return { throttleTimeMs: 0, resultsByTopicV3AndBelow: resultsOf(transaction.topics, error) };
};

const manyFromVersion = 4;

type Many = RequestOf<Apis['AddPartitionsToTxn']>['transactions'];

/** Answers to transactions in their order. Those that are only asked about need one call together. */
async function addForMany(transactions: Many, context: RequestContext) {
  const { access, cluster } = context;
  const isBroker = access.mayQuietly('CLUSTER_ACTION', 'CLUSTER', clusterResourceName);
  const refusalOf = refusalsIn(context, isBroker);
  const served = transactions.slice(0, brokerLimits.transactionsPerRequestMax);
  const isAllowed = new Map(
    served.map(({ transactionalId: id }) => [id, isBroker || access.may('WRITE', 'TRANSACTIONAL_ID', id)]),
  );
  const asked = served.filter(
    ({ verifyOnly, transactionalId }) => verifyOnly && isAllowed.get(transactionalId),
  );
  const ids = asked.map(({ transactionalId }) => transactionalId);
  const described =
    ids.length === 0 ? [] : await coordinatorAnswer(cluster.port.describeTransactions(ids), context);
  const descriptions = new Map(asked.map((transaction, index) => [transaction, described?.[index]]));
  const errorsOf = async (transaction: Many[number]): Promise<PartitionErrors> => {
    if (!isAllowed.get(transaction.transactionalId)) return () => 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
    if (!transaction.verifyOnly) return added(transaction, refusalOf, context);
    if (hasRefusal(transaction.topics, refusalOf)) {
      return (name, partition) => refusalOf(name, partition) ?? 'OPERATION_NOT_ATTEMPTED';
    }
    if (transaction.transactionalId === '') return () => 'INVALID_REQUEST';
    const description = descriptions.get(transaction);
    if (description === undefined) return () => 'COORDINATOR_LOAD_IN_PROGRESS';
    return checkPartitions(transaction, description, context);
  };
  const resultsByTransaction = [];
  for (const [index, transaction] of transactions.entries()) {
    const isLate = index >= served.length;
    const error = isLate ? () => 'COORDINATOR_LOAD_IN_PROGRESS' as const : await errorsOf(transaction);
    const topicResults = resultsOf(transaction.topics, error);
    resultsByTransaction.push({ transactionalId: transaction.transactionalId, topicResults });
  }
  return { throttleTimeMs: 0, errorCode: errors.NONE.code, resultsByTransaction };
}

type PartitionErrors = (name: string, partition: number) => ErrorName;

async function added(
  transaction: NamedTransaction,
  refusalOf: PartitionRefusals,
  context: RequestContext,
): Promise<PartitionErrors> {
  const error = await addPartitions(transaction, refusalOf, context);
  return (name, partition) => error ?? refusalOf(name, partition) ?? 'OPERATION_NOT_ATTEMPTED';
}

function refusalsIn(context: RequestContext, isBroker: boolean): PartitionRefusals {
  const { cluster } = context;
  const deniedTopic = isBroker ? () => undefined : refusalsByName(context, 'WRITE');
  return (name, partition) => {
    const denied = deniedTopic(name);
    if (denied !== undefined) return denied;
    const topic = cluster.topicByName(name);
    const isThere = topic !== undefined && cluster.ends(topic.topicId, partition) !== undefined;
    return isThere ? undefined : 'UNKNOWN_TOPIC_OR_PARTITION';
  };
}

function resultsOf(topics: readonly NamedTopic[], errorOf: PartitionErrors) {
  return topics.map(({ name, partitions }) => ({
    name,
    resultsByPartition: partitions.map((partition) => ({
      partitionIndex: partition,
      partitionErrorCode: errors[errorOf(name, partition)].code,
    })),
  }));
}
