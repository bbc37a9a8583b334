import { catalogue, consolePaths, type OutputOf } from '@weir/api';
import { formatDurationMs } from '@weir/core';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { answerOfRows } from '../answers/rows.ts';
import { formatArguments, hasQuery, listArguments, queryArgument } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';
import { rowSchema } from './rows.ts';
import { orSuggest } from './suggest-name.ts';
import type { ToolContext } from './tool-context.ts';

type Topic = OutputOf<'list_topics'>['topics'][number];

const { shape } = catalogue.list_topics.output.shape.topics.element;
const row = z.object({
  name: shape.name,
  partitions: shape.shard_count,
  retention: z.string().describe('How long records are kept, such as 168h; or forever.'),
  size_bytes: shape.uncompressed_size_hint,
  id: shape.id,
  created_at: z.string().describe('When it was created.'),
});
const concise = ['name', 'partitions', 'retention', 'size_bytes'];

const described = catalogue.describe_topic.output.shape;

export const topicTools = [
  defineClusterTool({
    name: 'list_topics',
    icon: 'topic',
    operations: ['list_topics', 'list_subjects'],
    input: {
      ...queryArgument,
      without_schema: z
        .boolean()
        .default(false)
        .describe('Only topics without a subject <topic>-value or <topic>-key.'),
      sort_by: z
        .enum(['name', 'size', 'partitions'])
        .default('name')
        .describe('By name, or the largest first.'),
      ...listArguments(50),
    },
    output: { total: z.int().describe('How many there are.'), topics: z.array(rowSchema(row, concise)) },
    async run(args, context, clusterId) {
      const topics = await topicsOf(clusterId, context);
      const covered = args.without_schema ? await topicsWithSchema(clusterId, context) : undefined;
      const items = topics
        .filter(({ name }) => hasQuery(name, args.query) && covered?.has(name) !== true)
        .sort(orders[args.sort_by]);
      return answerOfRows({
        tool: 'list_topics',
        args,
        name: 'topics',
        concise,
        items,
        keyOf: ({ name }) => name,
        rowsOf: (shown) => shown.map(toTopicRow),
        hint: (shown, hasMore) => {
          if (shown.length === 0 && topics.length > 0)
            return args.without_schema
              ? `None of ${topics.length} topics is like that and without a schema.`
              : `None of ${topics.length} topics has this in its name; leave out query.`;
          if (args.without_schema)
            return `${items.length} of ${topics.length} topics have no schema under their name.`;
          return hasMore ? undefined : 'describe_topic shows the configs of one.';
        },
        consoleUrl: context.consoleUrl(consolePaths.topics(clusterId)),
      });
    },
  }),
  defineClusterTool({
    name: 'describe_topic',
    icon: 'topic',
    operations: [
      'describe_topic',
      'list_topics',
      'virtual_clusters/acls/list',
      'describe_virtual_cluster_configuration',
    ],
    summary: 'Describe the partitions, the size and the configs of a topic, and how many ACLs name it.',
    input: {
      topic_name: catalogue.describe_topic.input.shape.topic_name,
      ...formatArguments,
    },
    output: {
      name: shape.name,
      topic_id: described.topic_id,
      partitions: described.partition_count,
      retention: row.shape.retention.optional(),
      size_bytes: row.shape.size_bytes.optional(),
      created_at: row.shape.created_at.optional(),
      acls_by_name: z.int().describe('ACLs for its name or a prefix of it.'),
      configs: described.configs,
    },
    async run({ topic_name: topic, format, max_tokens }, context, clusterId) {
      const [about, topics, { acls }] = await Promise.all([
        context.call('describe_topic', { virtual_cluster_id: clusterId, topic_name: topic }).catch(
          orSuggest({
            name: topic,
            noun: 'topic',
            listedBy: 'list_topics',
            names: async () => (await topicsOf(clusterId, context)).map(({ name }) => name),
          }),
        ),
        topicsOf(clusterId, context),
        context.call('virtual_clusters/acls/list', { virtual_cluster_id: clusterId }),
      ]);
      // Internal topics are in no list.
      const listed = topics.find(({ name }) => name === topic);
      const naming = acls.filter(
        ({ resource_type: type, resource_name: name, pattern_type: pattern }) =>
          type === 'TOPIC' && (pattern === 'PREFIXED' ? topic.startsWith(name) : name === topic),
      );
      return answerOf(
        {
          name: topic,
          topic_id: about.topic_id,
          partitions: about.partition_count,
          ...(listed === undefined ? {} : listedFields(listed)),
          acls_by_name: naming.length,
          configs: format === 'detailed' ? about.configs : mainConfigs(about.configs),
        },
        {
          hint: format === 'detailed' ? undefined : 'format "detailed" gives all configs.',
          console_url: context.consoleUrl(consolePaths.topic(clusterId, topic)),
        },
        { format, max_tokens },
      );
    },
  }),
];

const orders: Readonly<Record<'name' | 'size' | 'partitions', (a: Topic, b: Topic) => number>> = {
  name: (a, b) => (a.name < b.name ? -1 : 1),
  size: (a, b) => b.uncompressed_size_hint - a.uncompressed_size_hint || orders.name(a, b),
  partitions: (a, b) => b.shard_count - a.shard_count || orders.name(a, b),
};

async function topicsOf(clusterId: string, context: ToolContext): Promise<readonly Topic[]> {
  return (await context.call('list_topics', { virtual_cluster_id: clusterId })).topics;
}

const subjectsPageMax = 1000;

/** Returns the topics whose names subjects have, by the usual naming of clients. */
async function topicsWithSchema(clusterId: string, context: ToolContext): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  let cursor: string | undefined;
  do {
    const { subjects, next_cursor } = await context.call('list_subjects', {
      virtual_cluster_id: clusterId,
      limit: subjectsPageMax,
      cursor,
    });
    for (const { subject } of subjects) {
      const topic = /^(.+)-(?:value|key)$/s.exec(subject)?.[1];
      if (topic !== undefined) names.add(topic);
    }
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
  return names;
}

/** The configs that users need most. A topic has some thirty, and most have their defaults. */
const mainConfigNames =
  /^(?:cleanup\.policy|retention\.(?:ms|bytes)|max\.message\.bytes|message\.timestamp\.type|min\.compaction\.lag\.ms|compression\.type|service\.topic\.type)$/;

function mainConfigs(configs: Readonly<Record<string, string | null>>) {
  return Object.fromEntries(Object.entries(configs).filter(([name]) => mainConfigNames.test(name)));
}

function listedFields(topic: Topic) {
  const { retention, size_bytes, created_at } = toTopicRow(topic);
  return { retention, size_bytes, created_at };
}

function toTopicRow({ name, shard_count, retention, uncompressed_size_hint, id, created_at }: Topic) {
  const retentionMs = Number(retention) / 1_000_000;
  return {
    name,
    partitions: shard_count,
    retention: retentionMs < 0 ? 'forever' : formatDurationMs(retentionMs),
    size_bytes: uncompressed_size_hint,
    id,
    created_at,
  };
}
