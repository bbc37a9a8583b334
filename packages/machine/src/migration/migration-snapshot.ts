import { managedTopicNamespace } from '@weir/cluster';
import type { ClusterState } from '../cluster-state.ts';
import type { PartitionLog } from '../log/partition-log.ts';
import { ownMigrationOf } from '../managed/managed-topics.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import { topicOf } from '../topics/topic-entries.ts';
import { existing } from './manage-topics.ts';

/** Open transactions of the source in a copy. Unlike ours, these have no transactional id. */
export interface CopiedTransactions {
  readonly log: PartitionLog;
  /** First offsets by producer id, in order. */
  readonly open: readonly (readonly [producerId: number, firstOffset: number])[];
}

export function captureCopiedTransactions(state: ClusterState): CopiedTransactions[] {
  if (state.kv.of(managedTopicNamespace).size === 0) return [];
  const found: CopiedTransactions[] = [];
  for (const { description, partitions } of state.topics.held()) {
    if (ownMigrationOf(state, description.topicId) === undefined) continue;
    for (const log of partitions)
      if (log.openTransactions !== undefined) found.push({ log, open: [...log.openTransactions] });
  }
  return found;
}

/** Topic numbers and partitions with their open transactions. */
export function* writeCopiedTransactions(
  copied: readonly CopiedTransactions[],
  writer: SnapshotWriter,
): Generator<Buffer> {
  const { fields } = writer;
  fields.varint(copied.length);
  for (const { log, open } of copied) {
    fields.varint(log.topicNumber);
    fields.varint(log.partition);
    fields.varint(open.length);
    for (const [producerId, firstOffset] of open) {
      fields.varint(producerId);
      fields.varint(firstOffset);
    }
    yield* writer.cut();
  }
}

export function readCopiedTransactions(state: ClusterState, { fields }: SnapshotReader): void {
  for (let left = fields.varint(); left > 0; left--) {
    const log = existing(topicOf(state, fields.varint()), fields.varint());
    for (let open = fields.varint(); open > 0; open--) {
      const producerId = fields.varint();
      log.beginTransaction(producerId, fields.varint());
    }
  }
}
