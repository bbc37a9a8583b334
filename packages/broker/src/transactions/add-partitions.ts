import type { TopicPartition } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import { portionsOf } from '../cluster-calls/portions.ts';
import type { RequestContext } from '../requests/handler.ts';
import { transactionErrorFor } from './transaction-errors.ts';

export interface NamedTopic {
  readonly name: string;
  readonly partitions: readonly number[];
}

/** A transaction as its producer names it. */
export interface NamedTransaction {
  readonly transactionalId: string;
  readonly producerId: bigint;
  readonly producerEpoch: number;
  readonly topics: readonly NamedTopic[];
}

/** The error of a partition that is refused; `undefined` for one that may be added. */
export type PartitionRefusals = (name: string, partition: number) => ErrorName | undefined;

/** Returns the error of all partitions; `undefined` if one of them is refused and none was added. */
export async function addPartitions(
  { topics, ...producer }: NamedTransaction,
  refusalOf: PartitionRefusals,
  context: RequestContext,
): Promise<ErrorName | undefined> {
  if (hasRefusal(topics, refusalOf)) return undefined;
  if (producer.transactionalId === '') return 'INVALID_REQUEST';
  const partitions = topics.flatMap(({ name, partitions }): TopicPartition[] => {
    // A topic without partitions was not checked and need not exist.
    if (partitions.length === 0) return [];
    const { topicId } = context.cluster.topicByName(name)!;
    return partitions.map((partition) => ({ topicId, partition }));
  });
  // Large requests are split into several calls; adding a partition is idempotent.
  const portions = portionsOf(partitions, () => 1);
  let error: ErrorName = 'NONE';
  for (const portion of portions.length === 0 ? [[]] : portions) {
    error = await add(producer, portion, context);
    if (error !== 'NONE') break;
  }
  return error;
}

/** Whether one of the partitions is refused, so that nothing is done with the others. */
export function hasRefusal(topics: readonly NamedTopic[], refusalOf: PartitionRefusals): boolean {
  return topics.some(({ name, partitions }) =>
    partitions.some((partition) => refusalOf(name, partition) !== undefined),
  );
}

async function add(
  { transactionalId, producerId, producerEpoch }: Omit<NamedTransaction, 'topics'>,
  partitions: readonly TopicPartition[],
  context: RequestContext,
): Promise<ErrorName> {
  const { cluster, origin, apiVersion } = context;
  const answer = await coordinatorAnswer(
    cluster.port.addPartitionsToTransaction({
      transactionalId,
      producerId: Number(producerId),
      producerEpoch,
      origin,
      partitions,
    }),
    context,
  );
  if (answer === undefined) return 'COORDINATOR_LOAD_IN_PROGRESS';
  return transactionErrorFor(answer.error, 'AddPartitionsToTxn', apiVersion);
}
