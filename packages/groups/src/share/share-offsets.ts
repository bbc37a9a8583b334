import type {
  GroupError,
  ShareOffset,
  ShareOffsetsAnswer,
  ShareOffsetsQuery,
  ShareOffsetsResult,
  ShareOffsetsToAlter,
  ShareOffsetsToDelete,
  ShareOffsetToAlter,
  TopicPartition,
} from '@weir/cluster';
import type { ClusterMachine } from '@weir/machine';
import { notFound } from '../group-id.ts';
import type { PartitionRuntimes } from './partitions/partition-runtimes.ts';
import { SharePartition } from './partitions/share-partition.ts';
import type { ShareGroups } from './share-groups.ts';

interface ShareOffsetsOptions {
  readonly machine: Pick<ClusterMachine, 'findBatches' | 'topicById'>;
  readonly groups: ShareGroups;
  readonly partitions: PartitionRuntimes;
}

/** Describes, alters and deletes offsets of share groups, for admin clients. */
export class ShareOffsets {
  readonly #options: ShareOffsetsOptions;

  constructor(options: ShareOffsetsOptions) {
    this.#options = options;
  }

  describe({ groupId, partitions }: ShareOffsetsQuery): ShareOffsetsAnswer {
    const places = partitions ?? this.#options.partitions.ofGroup(groupId).sort(byTopic);
    return { error: 'NONE', offsets: places.map((place) => this.#describe(groupId, place)) };
  }

  async alter({ groupId, offsets }: ShareOffsetsToAlter): Promise<ShareOffsetsResult> {
    const problems = offsets.map((offset) => this.#problemOfOffset(offset));
    const isNew = this.#options.groups.find(groupId) === undefined;
    let error = this.#problemOf(groupId);
    // Altering offsets creates a group that has no members yet, if any of the topics is there.
    if (isNew && error === 'GROUP_ID_NOT_FOUND') {
      const { machine } = this.#options;
      const isAbout = offsets.some(({ topicId }) => machine.topicById(topicId) !== undefined);
      error = isAbout ? await this.#options.groups.create(groupId) : 'NONE';
    }
    if (error !== 'NONE') return { error, results: [] };
    const altered = offsets.map((offset, index) =>
      problems[index] === 'NONE' ? this.#alter(groupId, offset) : problems[index]!,
    );
    return { error, results: await Promise.all(altered) };
  }

  async delete({ groupId, topicIds }: ShareOffsetsToDelete): Promise<ShareOffsetsResult> {
    const error = this.#problemOf(groupId);
    if (error !== 'NONE') return { error, results: [] };
    const { partitions } = this.#options;
    const deleted = topicIds.map((topicId) =>
      outcomeOf(partitions.erase(partitions.ofTopic(topicId).filter((stored) => stored.groupId === groupId))),
    );
    return { error, results: await Promise.all(deleted) };
  }

  #problemOf(groupId: string): GroupError {
    const group = this.#options.groups.find(groupId);
    if (group === undefined) return notFound(groupId);
    return group.isEmpty ? 'NONE' : 'NON_EMPTY_GROUP';
  }

  #describe(groupId: string, { topicId, partition }: TopicPartition): ShareOffset {
    const stored = this.#options.partitions.find({ groupId, topicId, partition });
    const offset = stored?.state.startOffset ?? 0;
    const [log] = this.#options.machine.findBatches([{ topicId, partition, offset, bytesMax: 1 }]);
    const { error, logStartOffset, nextOffset } = log!;
    const isThere = error === 'NONE' || error === 'OFFSET_OUT_OF_RANGE';
    if (stored === undefined || !isThere)
      return { topicId, partition, startOffset: -1, lag: -1, error: 'NONE' };
    const startOffset = Math.max(offset, logStartOffset);
    // If retention has passed the start, the number of finished records is unknown until the next fetch.
    const doneCount = startOffset === offset ? stored.state.doneCount : 0;
    return {
      topicId,
      partition,
      startOffset,
      lag: Math.max(0, nextOffset - startOffset - doneCount),
      error: 'NONE',
    };
  }

  #problemOfOffset({ topicId, partition, startOffset }: ShareOffsetToAlter): GroupError {
    const partitionCount = this.#options.machine.topicById(topicId)?.partitionCount ?? 0;
    if (!Number.isSafeInteger(partition) || partition < 0 || partition >= partitionCount) {
      return 'UNKNOWN_TOPIC_OR_PARTITION';
    }
    return Number.isSafeInteger(startOffset) && startOffset >= 0 ? 'NONE' : 'INVALID_REQUEST';
  }

  async #alter(
    groupId: string,
    { topicId, partition, startOffset }: ShareOffsetToAlter,
  ): Promise<GroupError> {
    const { partitions } = this.#options;
    const stored = partitions.begin({ groupId, topicId, partition }, new SharePartition(startOffset));
    return stored === undefined ? 'POLICY_VIOLATION' : outcomeOf(partitions.keep(stored));
  }
}

function outcomeOf(saved: Promise<void>): Promise<GroupError> {
  return saved.then(
    () => 'NONE',
    () => 'COORDINATOR_LOAD_IN_PROGRESS',
  );
}

function byTopic(a: TopicPartition, b: TopicPartition): number {
  if (a.topicId !== b.topicId) return a.topicId < b.topicId ? -1 : 1;
  return a.partition - b.partition;
}
