import type { TopicPartition, TransactionDescription } from '@weir/metadata';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';

/**
 * DescribeTransactions v0. Unknown ids are TRANSACTIONAL_ID_NOT_FOUND; when the control plane cannot be reached the answer is
 * COORDINATOR_LOAD_IN_PROGRESS for each.
 *
 * Missing: ACLs.
 */
export const describeTransactionsHandler: HandlerOf<Apis['DescribeTransactions']> = async (
  { transactionalIds },
  { cluster },
) => {
  const described = await ifAvailable(cluster.port.describeTransactions(transactionalIds));
  return {
    throttleTimeMs: 0,
    transactionStates: transactionalIds.map((transactionalId, index) => {
      const transaction = described?.[index];
      if (transaction === undefined) return failed(transactionalId, 'COORDINATOR_LOAD_IN_PROGRESS');
      if (transaction.error !== 'NONE') return failed(transactionalId, transaction.error);
      return answered(transaction, cluster);
    }),
  };
};

function answered(transaction: TransactionDescription, cluster: ClusterView) {
  return {
    errorCode: errors.NONE.code,
    transactionalId: transaction.transactionalId,
    transactionState: transaction.state,
    transactionTimeoutMs: transaction.timeoutMs,
    transactionStartTimeMs: BigInt(transaction.startMs),
    producerId: BigInt(transaction.producerId),
    producerEpoch: transaction.producerEpoch,
    topics: byTopic(transaction.partitions, cluster),
  };
}

function byTopic(partitions: readonly TopicPartition[], cluster: ClusterView) {
  const byName = new Map<string, number[]>();
  for (const { topicId, partition } of partitions) {
    const name = cluster.topicById(topicId)?.name;
    if (name === undefined) continue;
    const found = byName.get(name);
    if (found === undefined) byName.set(name, [partition]);
    else found.push(partition);
  }
  return Array.from(byName, ([topic, found]) => ({ topic, partitions: found }));
}

function failed(transactionalId: string, error: ErrorName) {
  return {
    errorCode: errors[error].code,
    transactionalId,
    transactionState: '',
    transactionTimeoutMs: -1,
    transactionStartTimeMs: -1n,
    producerId: -1n,
    producerEpoch: -1,
    topics: [],
  };
}
