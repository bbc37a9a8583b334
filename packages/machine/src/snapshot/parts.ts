import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import { readRecords, writeRecords } from '../kv/kv-snapshot.ts';
import { readCopiedTransactions, writeCopiedTransactions } from '../migration/migration-snapshot.ts';
import { readOffsets, writeOffsets } from '../offsets/offsets-snapshot.ts';
import { readRegistryPart, writeRegistry } from '../registry/registry-snapshot.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import { readTransactions, writeTransactions } from '../transactions/transactions-snapshot.ts';
import type { CapturedState } from './captured-state.ts';
import { readCleanLogs, writeCleanLogs } from './clean-logs.ts';
import { readForeignFiles, readHolds, writeForeignFiles, writeHolds } from './clone-files.ts';
import { readGoneFiles, writeGoneFiles } from './gone-files.ts';
import { readReplicationFactors, replicated, writeReplicationFactors } from './replication-factors.ts';
import { readReplies, writeReplies } from './saved-replies.ts';

/**
 * An optional part of a snapshot. Each has a number that is never reused. An empty part is omitted, so that snapshots
 * of clusters without it are unchanged from before the part existed.
 */
interface Part {
  readonly number: number;
  isEmpty(captured: CapturedState): boolean;
  /** Writes the captured state, with a `cut` between small pieces. */
  write(captured: CapturedState, writer: SnapshotWriter): Generator<Buffer>;
  read(state: ClusterState, reader: SnapshotReader): void;
}

/** In the order of their numbers. */
const parts: readonly Part[] = [
  {
    number: 1,
    isEmpty: ({ recentRequests }) => recentRequests.length === 0,
    write: ({ recentRequests }, writer) =>
      writeReplies(recentRequests, writer, (id) => writer.fields.text(id)),
    read: ({ recentRequests }, reader) => readReplies(recentRequests, reader, () => reader.fields.text()),
  },
  {
    number: 10,
    isEmpty: ({ records }) => records.length === 0,
    write: ({ records }, writer) => writeRecords(records, writer),
    read: readRecords,
  },
  {
    number: 11,
    isEmpty: ({ offsets }) => offsets.nextSequence === 0 || offsets.layout === 'signed',
    write: ({ offsets }, writer) => writeOffsets(offsets, writer),
    read: (state, reader) => readOffsets(state, reader, 'unsigned'),
  },
  {
    number: 12,
    isEmpty: ({ offsets }) => offsets.layout === 'unsigned',
    write: ({ offsets }, writer) => writeOffsets(offsets, writer),
    read: (state, reader) => readOffsets(state, reader, 'signed'),
  },
  {
    number: 20,
    isEmpty: ({ transactions }) => transactions.isEmpty,
    write: ({ transactions }, writer) => writeTransactions(transactions, writer),
    read: readTransactions,
  },
  {
    number: 30,
    isEmpty: ({ topics }) => replicated(topics).length === 0,
    write: ({ topics }, writer) => writeReplicationFactors(replicated(topics), writer),
    read: readReplicationFactors,
  },
  {
    number: 40,
    isEmpty: ({ deadFiles, deletedFiles }) => deadFiles.slots.length + deletedFiles.slots.length === 0,
    write: writeGoneFiles,
    read: readGoneFiles,
  },
  {
    number: 41,
    isEmpty: ({ cleanLogs }) => cleanLogs.length === 0,
    write: ({ cleanLogs }, writer) => writeCleanLogs(cleanLogs, writer),
    read: readCleanLogs,
  },
  {
    number: 43,
    isEmpty: ({ holds }) => holds.length === 0,
    write: writeHolds,
    read: readHolds,
  },
  {
    number: 44,
    isEmpty: ({ origins }) => origins.length === 0,
    write: writeForeignFiles,
    read: readForeignFiles,
  },
  {
    number: 60,
    isEmpty: ({ registry }) => registry.revision === 0,
    write: ({ registry }, writer) => writeRegistry(registry, writer),
    read: readRegistryPart,
  },
  {
    number: 70,
    isEmpty: ({ copiedTransactions }) => copiedTransactions.length === 0,
    write: ({ copiedTransactions }, writer) => writeCopiedTransactions(copiedTransactions, writer),
    read: readCopiedTransactions,
  },
];

export const partNumbers: readonly number[] = parts.map(({ number }) => number);

/** Follows the last part. */
const end = 0;

export function* writeParts(captured: CapturedState, writer: SnapshotWriter): Generator<Buffer> {
  for (const part of parts) {
    if (part.isEmpty(captured)) continue;
    writer.fields.u8(part.number);
    yield* part.write(captured, writer);
  }
  writer.fields.u8(end);
}

export function readParts(state: ClusterState, reader: SnapshotReader): void {
  for (let number = reader.fields.u8(); number !== end; number = reader.fields.u8()) {
    const part = parts.find((known) => known.number === number);
    if (part === undefined)
      throw new UnreadableBytes(`this release does not support part ${number} of a snapshot`);
    part.read(state, reader);
  }
}
