import {
  type ClusterChange,
  type EntryError,
  entryErrors,
  type FileCommit,
  type FileCommitResult,
} from '@weir/cluster';
import { fileIdTimeMs } from '@weir/core';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { committableFromMs } from '../files/dead-files.ts';
import { isOfOpenSequence } from '../files/file-sequences.ts';
import { isBucketKnown } from '../files/known-buckets.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { ownMigrationOf } from '../managed/managed-topics.ts';
import { validatePlainBatch, validateTransactionalBatch } from '../transactions/validate-batch.ts';
import { AppendedBatch, CommitEntryWriter, readCommittedFiles } from './commit-entry.ts';
import { CommittedFiles } from './committed-files.ts';

const errorCode = Object.fromEntries(entryErrors.map((error, code) => [error, code])) as Readonly<
  Record<EntryError, number>
>;

export interface Committed {
  readonly results: FileCommitResult[];
  readonly changes: readonly ClusterChange[];
}

/**
 * Decides and applies batch by batch, since a batch may depend on the previous one, and writes the result of each. It
 * changes the state only through `CommittedFiles`, as a follower does that reads the entry.
 */
export function commitFiles(
  state: ClusterState,
  limits: MachineLimits,
  files: readonly FileCommit[],
  writer: ByteWriter,
): Committed {
  const committed = new CommittedFiles(state);
  const entry = new CommitEntryWriter(writer);
  const results = files.map((file) => {
    const first = state.recentFiles.replyOf(file.fileId);
    if (first !== undefined) return first;
    return commitFile(state, limits, file, committed, entry);
  });
  entry.end();
  return { results, changes: committed.changes() };
}

export function applyCommittedFiles(state: ClusterState, reader: ByteReader): readonly ClusterChange[] {
  const committed = new CommittedFiles(state);
  readCommittedFiles(reader, state.nowMs, committed);
  return committed.changes();
}

/**
 * Why clients cannot write to a topic that a migration manages (U2). An agent that has taken it for another topic is
 * behind the change stream: its client asks again, and then it knows.
 */
function refusalOf(
  state: ClusterState,
  topicId: string,
): 'POLICY_VIOLATION' | 'NOT_LEADER_OR_FOLLOWER' | undefined {
  const migration = ownMigrationOf(state, topicId);
  if (migration === undefined) return undefined;
  return migration.state === 'REPLICATING' ? 'POLICY_VIOLATION' : 'NOT_LEADER_OR_FOLLOWER';
}

function commitFile(
  state: ClusterState,
  limits: MachineLimits,
  file: FileCommit,
  committed: CommittedFiles,
  entry: CommitEntryWriter,
): FileCommitResult {
  const { producers } = state;
  const rows = file.topic.length;
  const error = new Uint8Array(rows);
  const baseOffset = new Float64Array(rows).fill(-1);
  const logStartOffset = new Float64Array(rows).fill(-1);
  const topics = file.topicIds.map((topicId) => state.topics.byId(topicId));
  const refusals = topics.map((topic) => topic && refusalOf(state, topic.description.topicId));
  const silentSinceMs = state.nowMs - limits.producerStateMsMax;
  const batch = new AppendedBatch();

  committed.beginFile(file.fileId, file.fileBytes);
  entry.beginFile(file.fileId, file.fileBytes, rows, state.nowMs, file.transactions !== undefined);

  const refuse = (row: number, reason: Exclude<EntryError, 'NONE'>) => {
    error[row] = errorCode[reason];
    committed.refused(errorCode[reason]);
    entry.refused(errorCode[reason]);
  };

  // A file that is gone, or may be without this state remembering it: what lies in it has to be written again (F3). One
  // that has pointers was committed so long ago that its answer is not remembered; readers must not see it twice (C1).
  // And one in a bucket that the cluster does not know, such as one that a restore has forgotten: none could read it.
  const isRefused =
    state.files.slotOf(file.fileId) >= 0 ||
    (fileIdTimeMs(file.fileId) < committableFromMs(limits, state.nowMs) &&
      !isOfOpenSequence(state, file.fileId)) ||
    !isBucketKnown(state, file.fileId);

  for (let row = 0; row < rows; row++) {
    if (isRefused) {
      refuse(row, 'KAFKA_STORAGE_ERROR');
      continue;
    }
    const topic = topics[file.topic[row]!];
    if (topic === undefined) {
      refuse(row, 'UNKNOWN_TOPIC_ID');
      continue;
    }
    const log = topic.partitions[file.partition[row]!];
    if (log === undefined) {
      refuse(row, 'UNKNOWN_TOPIC_OR_PARTITION');
      continue;
    }
    const refusal = refusals[file.topic[row]!];
    if (refusal !== undefined) {
      refuse(row, refusal);
      continue;
    }

    const producerId = file.producerId[row]!;
    const recordCount = file.recordCount[row]!;
    batch.startsWindow = false;
    batch.evictsProducer = false;
    batch.isTransactional = false;
    batch.joinsTransaction = false;
    const transaction = file.transactions?.transaction[row] ?? -1;
    let addsPartition = false;
    if (transaction >= 0) {
      const { transactionalIds, addsPartition: adds } = file.transactions!;
      const transactionalId = transactionalIds[transaction]!;
      const epoch = file.producerEpoch[row]!;
      addsPartition = adds[row] === 1;
      const part = validateTransactionalBatch(
        state,
        limits,
        log,
        transactionalId,
        producerId,
        epoch,
        addsPartition,
      );
      if (part !== 'belongs' && part !== 'joins') {
        refuse(row, part);
        continue;
      }
      batch.isTransactional = true;
      batch.joinsTransaction = part === 'joins';
    } else if (producerId >= 0) {
      const reason = validatePlainBatch(state, log, producerId, file.producerEpoch[row]!);
      if (reason !== undefined) {
        refuse(row, reason);
        continue;
      }
    }
    if (producerId >= 0) {
      const verdict = producers.validate(
        log,
        producerId,
        file.producerEpoch[row]!,
        file.baseSequence[row]!,
        recordCount,
        silentSinceMs,
      );
      switch (verdict) {
        case 'OUT_OF_ORDER_SEQUENCE_NUMBER':
        case 'INVALID_PRODUCER_EPOCH':
          refuse(row, verdict);
          continue;
        case 'duplicate':
          baseOffset[row] = producers.duplicateOffset;
          logStartOffset[row] = log.logStartOffset;
          committed.duplicate(producers.duplicateOffset, log.logStartOffset);
          entry.duplicate(producers.duplicateOffset, log.logStartOffset);
          continue;
        case 'starts':
          // A client with an epoch per transaction starts each at sequence 0 and cannot continue an earlier one (X7).
          if (addsPartition && file.baseSequence[row] !== 0) {
            refuse(row, 'OUT_OF_ORDER_SEQUENCE_NUMBER');
            continue;
          }
          batch.startsWindow = true;
          batch.evictsProducer =
            producers.count >= limits.producerStatesMax && !producers.isKnown(log, producerId);
          break;
        case 'continues':
          break;
      }
    }

    batch.topicNumber = topic.number;
    batch.partition = file.partition[row]!;
    batch.byteStart = file.byteStart[row]!;
    batch.byteLength = file.byteLength[row]!;
    batch.recordCount = recordCount;
    batch.maxTimestampMs = file.maxTimestampMs[row]!;
    batch.producerId = producerId;
    // A producer without an id has no epoch and no sequence, whatever the columns contain.
    batch.producerEpoch = producerId >= 0 ? file.producerEpoch[row]! : -1;
    batch.baseSequence = producerId >= 0 ? file.baseSequence[row]! : -1;
    baseOffset[row] = log.nextOffset;
    logStartOffset[row] = log.logStartOffset;
    committed.appendTo(log, batch);
    entry.appended(batch);
  }

  const forgottenFiles = state.recentFiles.countBeyond(
    limits.recentFilesMax,
    limits.recentFileReplyBytesMax,
    committed.replyBytes,
  );
  committed.endFile(forgottenFiles);
  entry.endFile(forgottenFiles);
  return { error, baseOffset, logStartOffset };
}
