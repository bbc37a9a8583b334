import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import type { ToolContext } from '../tools/tool-context.ts';
import { type Change, defineWriteTool } from './write-tool.ts';

const created = catalogue.create_topic.input.shape;
const updated = catalogue.update_topic.input.shape;

export const topicWriteTools = [
  defineWriteTool({
    name: 'create_topic',
    icon: 'topic',
    changes: 'create_topic',
    reads: [],
    isDestructive: false,
    input: {
      topic_name: created.topic_name,
      partition_count: created.partition_count,
      configs: created.configs,
    },
    async plan({ virtual_cluster_id: _, ...topic }, context, virtual_cluster_id) {
      await context.call('create_topic', { virtual_cluster_id, ...topic, validate_only: true });
      const configs = Object.entries(topic.configs).filter(([, after]) => after !== null);
      return {
        title: `Create the topic ${topic.topic_name}`,
        changes: [
          { name: 'partitions', before: null, after: String(topic.partition_count) },
          ...configs.map(([name, after]) => ({ name, before: null, after })),
        ],
        consolePath: consolePaths.topics(virtual_cluster_id),
      };
    },
    apply: ({ virtual_cluster_id: _, ...topic }, context, virtual_cluster_id) =>
      context.call('create_topic', { virtual_cluster_id, ...topic }),
  }),
  defineWriteTool({
    name: 'update_topic',
    icon: 'topic',
    changes: 'update_topic',
    reads: ['describe_topic'],
    isDestructive: true,
    input: {
      topic_name: updated.topic_name,
      partition_count: updated.partition_count,
      configs: updated.configs,
    },
    async plan({ virtual_cluster_id: _, ...change }, context, virtual_cluster_id) {
      const { topic_name } = change;
      const topic = await context.call('describe_topic', { virtual_cluster_id, topic_name });
      const { deletion_estimate: deleted } = await context.call('update_topic', {
        virtual_cluster_id,
        ...change,
        validate_only: true,
      });
      const changes = [
        ...partitionChanges(topic, change.partition_count),
        ...configChanges(topic, change.configs),
      ];
      return {
        title: `Change the topic ${topic_name}`,
        changes,
        warnings: [...changes.flatMap((one) => warningOf(one, topic)), ...deletionWarning(deleted)],
        consolePath: consolePaths.topic(virtual_cluster_id, topic_name),
      };
    },
    apply: ({ virtual_cluster_id: _, ...change }, context: ToolContext, virtual_cluster_id) =>
      context.call('update_topic', { virtual_cluster_id, ...change }),
  }),
];

type Topic = OutputOf<'describe_topic'>;

function partitionChanges({ partition_count: before }: Topic, after: number | undefined): Change[] {
  if (after === undefined || after === before) return [];
  return [{ name: 'partitions', before: String(before), after: String(after) }];
}

/** A config that the topic does not set has no value of its own before. */
function configChanges(topic: Topic, configs: Readonly<Record<string, string | null>>): Change[] {
  return Object.entries(configs)
    .map(([name, after]) => ({ name, before: ownValue(topic, name), after }))
    .filter(({ before, after }) => before !== after);
}

function ownValue({ configs, set_configs }: Topic, name: string): string | null {
  return set_configs.includes(name) ? (configs[name] ?? null) : null;
}

/** Configs that bound what is kept: a smaller value deletes records. */
const bounds: ReadonlySet<string> = new Set(['retention.ms', 'retention.bytes']);

function warningOf({ name, after }: Change, topic: Topic): string[] {
  if (name === 'partitions')
    return [
      'Partitions cannot become fewer again, and records with the same key may go to another partition.',
    ];
  if (!bounds.has(name)) return [];
  const now = boundOf(topic.configs[name]);
  if (after === null)
    return [`${name} becomes the default of the cluster; records beyond it are deleted for good.`];
  return boundOf(after) < now ? [`Records beyond the smaller ${name} are deleted for good.`] : [];
}

function deletionWarning(deleted: OutputOf<'update_topic'>['deletion_estimate']): string[] {
  if (deleted === undefined || deleted.records === 0) return [];
  const { records, bytes, is_complete: isComplete } = deleted;
  return [`${isComplete ? '' : 'More than '}${records} records (${bytes} bytes) are deleted within minutes.`];
}

/** -1 is no bound. */
function boundOf(value: string | null | undefined): number {
  const bound = Number(value ?? '-1');
  return bound < 0 ? Number.POSITIVE_INFINITY : bound;
}
