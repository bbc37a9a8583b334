import type { ClusterChange } from '@weir/cluster';
import { applyClusterConfigsAltered } from './alter-cluster-configs.ts';
import { applyConfigsAltered } from './alter-configs.ts';
import { ByteReader, UnreadableBytes } from './bytes/byte-reader.ts';
import type { ClusterState } from './cluster-state.ts';
import { applyCommittedFiles } from './commit/commit-files.ts';
import { type EntryKind, entryKind } from './entry-kind.ts';
import {
  applyFilesHeld,
  applyHeldFilesReleased,
  applyHoldAbandoned,
  applyHoldConfirmed,
  applyHoldEnded,
  applyUnneededFilesForgotten,
} from './files/clone-holds.ts';
import { applyDeadFilesForgotten, applyFilesDeclaredDead } from './files/dead-files.ts';
import { applyKeysCompacted, applyRangesReplaced } from './files/replace-ranges.ts';
import { applyEntriesPut } from './kv/put-entries.ts';
import { applyLogStartsMoved } from './log-start/log-starts.ts';
import { applyCopiesAppended } from './migration/append-copied.ts';
import { applyCopiesEnded } from './migration/change-states.ts';
import { applyManagedLogStarts } from './migration/log-starts.ts';
import { applyManagedTopicsCreated, applyManagedTopicsGrown } from './migration/manage-topics.ts';
import { applyOffsetsCommitted } from './offsets/commit-offsets.ts';
import { applyOffsetsForgotten } from './offsets/forget-offsets.ts';
import { applyPurged, applyTopicsRemoved } from './purge.ts';
import { applyRegistryChanged } from './registry/change-registry.ts';
import { applyRequestAnswered } from './replies/answered-requests.ts';
import { applyTopicCloned } from './topics/clone-topic.ts';
import {
  applyPartitionsCreated,
  applyReplicatedTopicsCreated,
  applyTopicsCreated,
  applyTopicsDeleted,
  applyTopicsRestored,
} from './topics/topic-entries.ts';
import {
  applyGroupAdded,
  applyPartitionsAdded,
  applyTransactionOffsets,
} from './transactions/add-to-transaction.ts';
import { applyTransactionEnded } from './transactions/end-transaction.ts';
import { applyExpired } from './transactions/expire-transactions.ts';
import { applyProducerInit } from './transactions/init-producer.ts';
import { applyOriginNoted } from './transactions/origin.ts';

/**
 * Applies an entry and returns the changes for followers. Throws `UnreadableBytes` if the entry is incomplete, unknown
 * to this release, or inconsistent with the state; the state must then be discarded.
 */
export function applyEntry(state: ClusterState, entry: Buffer): readonly ClusterChange[] {
  const reader = new ByteReader(entry);
  const kind = entryKinds.get(reader.u8());
  if (kind === undefined)
    throw new UnreadableBytes(`this release does not support journal entries of kind ${entry[0]}`);
  state.nowMs = reader.varint();
  if (kind === 'requestAnswered') {
    applyRequestAnswered(state, reader);
    const done = reader.raw(reader.left);
    if (done[0] === entryKind.requestAnswered) throw new UnreadableBytes('an answer within an answer');
    return applyEntry(state, done);
  }
  const changes = appliers[kind](state, reader) ?? [];
  reader.end();
  return changes;
}

const entryKinds: ReadonlyMap<number, EntryKind> = new Map(
  Object.entries(entryKind).map(([kind, number]) => [number, kind as EntryKind]),
);

/** How each kind of entry changes the state, and what followers see of it. */
const appliers: {
  readonly [Kind in Exclude<EntryKind, 'requestAnswered'>]: (
    state: ClusterState,
    reader: ByteReader,
  ) => readonly ClusterChange[] | undefined;
} = {
  filesCommitted: applyCommittedFiles,
  transactionalFilesCommitted: applyCommittedFiles,
  transactionalProducerInit: applyProducerInit,
  transactionPartitionsAdded: applyPartitionsAdded,
  transactionGroupAdded: applyGroupAdded,
  transactionOffsetsCommitted: (state, reader) => applyTransactionOffsets(state, reader, 'unsigned'),
  signedTransactionOffsetsCommitted: (state, reader) => applyTransactionOffsets(state, reader, 'signed'),
  transactionEnded: applyTransactionEnded,
  transactionsExpired: applyExpired,
  transactionOriginNoted: applyOriginNoted,
  topicsCreated: applyTopicsCreated,
  replicatedTopicsCreated: applyReplicatedTopicsCreated,
  topicsDeleted: applyTopicsDeleted,
  topicsRemoved: applyTopicsRemoved,
  topicsRestored: applyTopicsRestored,
  partitionsCreated: applyPartitionsCreated,
  producerIdsAllocated: (state, reader) => {
    state.nextProducerId += reader.varint();
    return undefined;
  },
  clusterConfigsAltered: applyClusterConfigsAltered,
  configsAltered: applyConfigsAltered,
  logStartsMoved: applyLogStartsMoved,
  entriesPut: applyEntriesPut,
  offsetsCommitted: (state, reader) => applyOffsetsCommitted(state, reader, 'unsigned'),
  signedOffsetsCommitted: (state, reader) => applyOffsetsCommitted(state, reader, 'signed'),
  offsetsForgotten: applyOffsetsForgotten,
  deadFilesForgotten: (state, reader) => {
    applyDeadFilesForgotten(state, reader);
    return undefined;
  },
  filesDeclaredDead: (state, reader) => {
    applyFilesDeclaredDead(state, reader);
    return undefined;
  },
  rangesReplaced: applyRangesReplaced,
  keysCompacted: applyKeysCompacted,
  filesHeld: applyFilesHeld,
  holdConfirmed: applyHoldConfirmed,
  holdAbandoned: applyHoldAbandoned,
  heldFilesReleased: applyHeldFilesReleased,
  holdEnded: applyHoldEnded,
  unneededFilesForgotten: applyUnneededFilesForgotten,
  topicCloned: applyTopicCloned,
  registryChanged: applyRegistryChanged,
  managedTopicsCreated: applyManagedTopicsCreated,
  managedTopicsGrown: applyManagedTopicsGrown,
  copiesAppended: applyCopiesAppended,
  managedLogStartsMoved: applyManagedLogStarts,
  copiesEnded: applyCopiesEnded,
  purged: applyPurged,
};
