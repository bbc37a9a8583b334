import type { CallOf, OutputOf } from '@weir/api/client';
import { apiLimits } from '@weir/api/limits';

type Described = OutputOf<'describe_consumer_group'>['group'];
type Offset = NonNullable<CallOf<'reset_consumer_group_offsets'>['offsets']>[number];

/**
 * The committed offsets of a group, of one topic or of all, so that they can be committed again after they were
 * deleted; `undefined` if there are none, or too many for one call.
 */
export function offsetsOfGroup({ topics }: Pick<Described, 'topics'>, topic?: string): Offset[] | undefined {
  const offsets = topics
    .filter(({ name }) => topic === undefined || name === topic)
    .flatMap(({ name, partitions }) =>
      partitions.flatMap(({ partition, committed_offset: offset }) =>
        offset === null ? [] : [{ topic: name, partition, offset }],
      ),
    );
  return offsets.length === 0 || offsets.length > apiLimits.resetPartitionsMax ? undefined : offsets;
}
