import type { TransactionDescription } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import type { RequestContext } from '../requests/handler.ts';
import type { NamedTransaction } from './add-partitions.ts';

/** The first version that knows TRANSACTION_ABORTABLE. */
const abortableFromVersion = 5;

/** Returns the error of each partition that is to be in the open transaction of a producer. */
export function checkPartitions(
  { producerId, producerEpoch }: NamedTransaction,
  described: TransactionDescription,
  { apiVersion, cluster }: RequestContext,
): (name: string, partition: number) => ErrorName {
  const isKnown = described.error === 'NONE' && described.producerId === Number(producerId);
  if (!isKnown) return () => 'INVALID_PRODUCER_ID_MAPPING';
  if (described.producerEpoch !== producerEpoch) return () => 'PRODUCER_FENCED';
  const places = new Set(described.partitions.map(({ topicId, partition }) => `${topicId}/${partition}`));
  const isOpen = described.state === 'Ongoing';
  return (name, partition) => {
    const isInside = isOpen && places.has(`${cluster.topicByName(name)?.topicId}/${partition}`);
    if (isInside) return 'NONE';
    return apiVersion >= abortableFromVersion ? 'TRANSACTION_ABORTABLE' : 'INVALID_TXN_STATE';
  };
}
