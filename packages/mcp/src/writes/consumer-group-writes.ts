import { catalogue, consolePaths } from '@weir/api';
import { defineWriteTool } from './write-tool.ts';

/** Without a list of offsets, which a model cannot know better than the operation. */
const {
  virtual_cluster_id: _cluster,
  offsets: _offsets,
  to,
  ...target
} = catalogue.reset_consumer_group_offsets.input.shape;

export const consumerGroupWriteTools = [
  defineWriteTool({
    name: 'reset_consumer_group_offsets',
    icon: 'group',
    changes: 'reset_consumer_group_offsets',
    reads: ['preview_offset_reset'],
    isDestructive: true,
    input: { ...target, to: to.exclude(['offsets']) },
    async plan({ virtual_cluster_id: _, ...reset }, context, virtual_cluster_id) {
      const preview = await context.call('preview_offset_reset', { virtual_cluster_id, ...reset });
      const {
        partitions,
        member_count: memberCount,
        skipped_records: skipped,
        repeated_records: repeated,
      } = preview;
      return {
        title: `Reset the offsets of the consumer group ${reset.group} to ${placeOf(reset)}`,
        changes: partitions
          .filter(({ old_offset: before, new_offset: after }) => before !== after)
          .map(({ topic, partition, old_offset, new_offset }) => ({
            name: `${topic}/${partition}`,
            before: old_offset === null ? null : String(old_offset),
            after: String(new_offset),
          })),
        warnings: [
          ...(memberCount > 0 ? [`The group has ${memberCount} members; they have to stop first.`] : []),
          ...(skipped > 0 ? [`The group skips ${skipped} records.`] : []),
          ...(repeated > 0 ? [`The group reads ${repeated} records again.`] : []),
        ],
        consolePath: consolePaths.consumerGroup(virtual_cluster_id, reset.group),
      };
    },
    apply: ({ virtual_cluster_id: _, ...reset }, context, virtual_cluster_id) =>
      context.call('reset_consumer_group_offsets', { virtual_cluster_id, ...reset }),
  }),
];

interface Place {
  readonly to: string;
  readonly time?: string | undefined;
  readonly offset?: number | undefined;
  readonly shift_by?: number | undefined;
  readonly from_group?: string | undefined;
}

function placeOf({ to: kind, time, offset, shift_by: shiftBy, from_group: group }: Place): string {
  const detail = time ?? offset ?? shiftBy ?? group;
  return detail === undefined ? kind : `${kind} ${detail}`;
}
