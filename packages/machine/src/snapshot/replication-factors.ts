import { UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ClusterState } from '../cluster-state.ts';
import type { SnapshotReader, SnapshotWriter } from '../snapshot-format/snapshot-columns.ts';
import type { CapturedState } from './captured-state.ts';

type CapturedTopics = CapturedState['topics'];

/** Returns the topics whose replication factor is not the default. */
export function replicated(topics: CapturedTopics): CapturedTopics {
  return topics.filter(({ description }) => description.replicationFactor !== undefined);
}

/** Topic numbers with their replication factors. */
export function* writeReplicationFactors(topics: CapturedTopics, writer: SnapshotWriter): Generator<Buffer> {
  writer.fields.varint(topics.length);
  for (const { number, description } of topics) {
    writer.fields.varint(number);
    writer.fields.varint(description.replicationFactor!);
    yield* writer.cut();
  }
}

export function readReplicationFactors({ topics }: ClusterState, { fields }: SnapshotReader): void {
  for (let left = fields.varint(); left > 0; left--) {
    const number = fields.varint();
    const topic = topics.byNumber(number);
    if (topic === undefined) throw new UnreadableBytes(`topic number ${number} does not exist`);
    topic.description = { ...topic.description, replicationFactor: fields.varint() };
  }
}
