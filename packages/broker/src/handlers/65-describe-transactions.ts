import type { TopicPartition, TransactionDescription } from '@weir/cluster';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';

/**
 * DescribeTransactions v0. Unknown ids are TRANSACTIONAL_ID_NOT_FOUND, and an empty one is INVALID_REQUEST; if
 * the control plane is unavailable or fails, every id is COORDINATOR_LOAD_IN_PROGRESS.
 *
 * Requires DESCRIBE on the transactional id (TRANSACTIONAL_ID_AUTHORIZATION_FAILED). Topics of the transaction that the
 * client may not DESCRIBE are omitted.
 */
export const describeTransactionsHandler: HandlerOf<Apis['DescribeTransactions']> = async (
  { transactionalIds },
  context,
) => {
  const { access, cluster } = context;
  const permitted = transactionalIds.map((id) => access.may('DESCRIBE', 'TRANSACTIONAL_ID', id));
  const permittedIds = transactionalIds.filter((_, index) => permitted[index]);
  const described =
    permittedIds.length === 0
      ? []
      : await coordinatorAnswer(cluster.port.describeTransactions(permittedIds), context);
  let next = 0;
  return {
    throttleTimeMs: 0,
    transactionStates: transactionalIds.map((transactionalId, index) => {
      if (!permitted[index]) return failed(transactionalId, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED');
      const transaction = described?.[next++];
      if (transaction === undefined) return failed(transactionalId, 'COORDINATOR_LOAD_IN_PROGRESS');
      if (transactionalId === '') return failed(transactionalId, 'INVALID_REQUEST');
      if (transaction.error !== 'NONE') return failed(transactionalId, transaction.error);
      return answered(transaction, context);
    }),
  };
};

function answered(transaction: TransactionDescription, context: RequestContext) {
  return {
    errorCode: errors.NONE.code,
    transactionalId: transaction.transactionalId,
    transactionState: transaction.state,
    transactionTimeoutMs: transaction.timeoutMs,
    transactionStartTimeMs: BigInt(transaction.startMs),
    producerId: BigInt(transaction.producerId),
    producerEpoch: transaction.producerEpoch,
    topics: byTopic(transaction.partitions, context),
  };
}

function byTopic(partitions: readonly TopicPartition[], { access, cluster }: RequestContext) {
  const byName = new Map<string, number[]>();
  for (const { topicId, partition } of partitions) {
    const name = cluster.topicById(topicId)?.name;
    if (name === undefined) continue;
    const found = byName.get(name);
    if (found === undefined) byName.set(name, [partition]);
    else found.push(partition);
  }
  return Array.from(byName, ([topic, found]) => ({ topic, partitions: found })).filter(({ topic }) =>
    access.mayQuietly('DESCRIBE', 'TOPIC', topic),
  );
}

function failed(transactionalId: string, error: ErrorName) {
  return {
    errorCode: errors[error].code,
    transactionalId,
    transactionState: '',
    transactionTimeoutMs: 0,
    transactionStartTimeMs: 0n,
    producerId: 0n,
    producerEpoch: 0,
    topics: [],
  };
}
