import type {
  ListedTransaction,
  ProducersAnswer,
  TopicPartition,
  TransactionDescription,
  TransactionFilter,
} from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';

export function describeTransaction(
  { transactions, topics }: ClusterState,
  transactionalId: string,
): TransactionDescription {
  const transaction = transactions.byId(transactionalId);
  if (transaction === undefined) {
    return {
      error: 'TRANSACTIONAL_ID_NOT_FOUND',
      transactionalId,
      producerId: -1,
      producerEpoch: -1,
      state: 'Empty',
      timeoutMs: -1,
      startMs: -1,
      partitions: [],
    };
  }
  const { producerId, epoch, state, timeoutMs, startMs } = transaction;
  const partitions: TopicPartition[] = [];
  for (const { topicId, partition } of transaction.partitions.keys()) {
    if (topics.byId(topicId) !== undefined) partitions.push({ topicId, partition });
  }
  return {
    error: 'NONE',
    transactionalId,
    producerId,
    producerEpoch: epoch,
    state,
    timeoutMs,
    startMs,
    partitions,
  };
}

export function listTransactions(
  { transactions }: ClusterState,
  { states, producerIds, openForMs }: TransactionFilter,
  nowMs: number,
): ListedTransaction[] {
  const wanted = new Set(producerIds);
  const listed: ListedTransaction[] = [];
  for (const { transactionalId, producerId, state, startMs } of transactions.oldestFirst()) {
    if (states.length > 0 && !states.includes(state)) continue;
    if (wanted.size > 0 && !wanted.has(producerId)) continue;
    if (openForMs >= 0 && (startMs < 0 || nowMs - startMs < openForMs)) continue;
    listed.push({ transactionalId, producerId, state });
  }
  return listed;
}

export function describeProducers(
  { topics, producers }: ClusterState,
  { topicId, partition }: TopicPartition,
): ProducersAnswer {
  const topic = topics.byId(topicId);
  if (topic === undefined) return { error: 'UNKNOWN_TOPIC_ID', producers: [] };
  const log = topic.partitions[partition];
  if (log === undefined) return { error: 'UNKNOWN_TOPIC_OR_PARTITION', producers: [] };
  return {
    error: 'NONE',
    producers: producers.of(log).map(({ producerId, epoch, writtenMs, batches }) => ({
      producerId,
      producerEpoch: epoch,
      lastSequence: batches.at(-1)?.lastSequence ?? -1,
      lastTimestampMs: writtenMs,
      transactionStartOffset: log.openTransactions?.get(producerId) ?? -1,
    })),
  };
}
