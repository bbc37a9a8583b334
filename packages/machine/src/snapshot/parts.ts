import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import { readRecords, writeRecords } from '../kv/kv-snapshot.ts';
import { readOffsets, writeOffsets } from '../offsets/offsets-snapshot.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import { readTransactions, writeTransactions } from '../transactions/transactions-snapshot.ts';
import type { CapturedState } from './captured-state.ts';
import { readReplicationFactors, replicated, writeReplicationFactors } from './replication-factors.ts';
import { readReplies, writeReplies } from './saved-replies.ts';

/**
 * Something that a snapshot may hold or not: each has a number, which is never used for anything else. An empty one is left
 * out, so that a snapshot of a cluster that has none of it is as it was before there was such a part.
 */
interface Part {
  readonly number: number;
  isEmpty(captured: CapturedState): boolean;
  /** Writes what was captured, with a `cut` between small pieces. */
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
    isEmpty: ({ offsets }) => offsets.nextSequence === 0,
    write: ({ offsets }, writer) => writeOffsets(offsets, writer),
    read: readOffsets,
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
];

export const partNumbers: readonly number[] = parts.map(({ number }) => number);

/** Stands behind the last part. */
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
    if (part === undefined) throw new UnreadableBytes(`this release knows no part ${number} of a snapshot`);
    part.read(state, reader);
  }
}
