import type { ClusterChange } from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';

/** Offsets of one group that were deleted or have expired. */
export interface OffsetsToForget {
  readonly groupId: string;
  /** `null` for all, including pending ones of open transactions. */
  readonly partitions: readonly PartitionOfTopic[] | null;
}

export interface PartitionOfTopic {
  readonly topicNumber: number;
  readonly partition: number;
}

/** Decides which offsets are removed, omitting those that do not exist, without applying it. */
export function decideForgetOffsets(
  { offsets }: ClusterState,
  groups: readonly OffsetsToForget[],
): OffsetsToForget[] {
  const forgotten: OffsetsToForget[] = [];
  for (const { groupId, partitions } of groups) {
    if (partitions === null) {
      if (offsets.hasGroup(groupId) || offsets.hasPendingGroup(groupId)) {
        forgotten.push({ groupId, partitions });
      }
      continue;
    }
    const there = partitions.filter(
      ({ topicNumber, partition }) => offsets.get(groupId, topicNumber, partition) !== undefined,
    );
    if (there.length > 0) forgotten.push({ groupId, partitions: there });
  }
  return forgotten;
}

export function writeOffsetsForgotten(writer: ByteWriter, groups: readonly OffsetsToForget[]): void {
  writer.varint(groups.length);
  for (const { groupId, partitions } of groups) {
    writer.text(groupId);
    // No group is written with an empty list, so 0 can mean all.
    writer.varint(partitions?.length ?? 0);
    for (const { topicNumber, partition } of partitions ?? []) {
      writer.varint(topicNumber);
      writer.varint(partition);
    }
  }
}

export function applyOffsetsForgotten(
  { offsets }: ClusterState,
  reader: ByteReader,
): readonly ClusterChange[] | undefined {
  for (let groups = reader.varint(); groups > 0; groups--) {
    const groupId = reader.text();
    const count = reader.varint();
    if (count === 0) offsets.deleteGroup(groupId);
    for (let left = count; left > 0; left--) offsets.delete(groupId, reader.varint(), reader.varint());
  }
  return undefined;
}
