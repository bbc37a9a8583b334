import type { Clock } from '@weir/core';
import { copyTopicConfigs } from '../../configs/copy-topic-configs.ts';
import type { MappedTopic } from '../../configuration/map-topics.ts';
import { batchStarts } from '../../source/batch-starts.ts';
import { type LogEnds, logEnds } from '../../source/log-ends.ts';
import type { SourceCluster } from '../../source/source-cluster.ts';
import { topicConfigs } from '../../source/source-configs.ts';
import type { SourceTopic } from '../../source/source-topics.ts';
import type { ManagedTopicState, TopicsDestination, TopicToManage } from '../destination.ts';
import type { MigrationEvent } from '../migration-event.ts';
import type { SourceWatch } from './source-watch.ts';

interface FollowOptions {
  readonly source: SourceCluster;
  readonly destination: TopicsDestination;
  readonly onEvent: (event: MigrationEvent) => void;
  readonly clock: Pick<Clock, 'after'>;
}

/** A topic that is copied, as both sides have it. */
export interface FollowedTopic {
  readonly found: SourceTopic;
  readonly state: ManagedTopicState;
  readonly watch: SourceWatch;
}

/** Topics of one round of creation: their configs are asked for together. */
const topicsPerStep = 100;

/**
 * Creates managed topics for topics of the source, each where its log begins there. Returns why some cannot be created
 * yet, by name at the source.
 */
export async function createTopics(
  { source, destination, onEvent }: FollowOptions,
  wanted: readonly { readonly mapped: MappedTopic; readonly found: SourceTopic }[],
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  for (let at = 0; at < wanted.length; at += topicsPerStep) {
    const some = wanted.slice(at, at + topicsPerStep);
    const starts = await logStarts(source, some, problems);
    const configs = new Map(
      (
        await topicConfigs(
          source,
          some.map(({ found }) => found.name),
        )
      ).map((topic) => [topic.topic, topic]),
    );
    const ready = some.filter(({ found }) => starts.has(found.name));
    const results = await destination.manage(
      ready.map(({ mapped, found }): TopicToManage => {
        const read = configs.get(found.name);
        return {
          name: mapped.destination,
          sourceTopic: found.name,
          sourceTopicId: found.topicId ?? '',
          configs: copyTopicConfigs(read?.configs ?? []).configs,
          logStarts: starts.get(found.name)!,
        };
      }),
    );
    for (const [index, { mapped, found }] of ready.entries()) {
      const result = results[index];
      if (result?.error !== 'NONE') {
        problems.set(found.name, result?.message ?? result?.error ?? 'the leader does not answer');
        continue;
      }
      onEvent({
        type: 'topic_created',
        level: 'info',
        topic: mapped.destination,
        message: 'created managed topic',
        fields: { source_topic: found.name, partitions: found.partitions.length },
      });
    }
  }
  return problems;
}

/** Where copies begin: at a batch, which may have records before the start of the log. */
async function logStarts(
  source: SourceCluster,
  topics: readonly { readonly mapped: MappedTopic; readonly found: SourceTopic }[],
  problems: Map<string, string>,
): Promise<ReadonlyMap<string, Float64Array>> {
  const places = topics.flatMap(({ found }) =>
    found.partitions.map(({ partition, leaderId }) => ({ topic: found.name, partition, leaderId })),
  );
  const byTopic = Map.groupBy(await logEnds(source, places), ({ topic }) => topic);
  const starts = new Map<string, Float64Array>();
  const inside: {
    topic: string;
    partition: number;
    leaderId: number;
    topicId: string | null;
    offset: number;
  }[] = [];
  for (const { mapped, found } of topics) {
    const ends = byTopic.get(found.name) ?? [];
    const failed = ends.find((one) => 'failure' in one);
    if (failed !== undefined || ends.length !== found.partitions.length) {
      problems.set(found.name, failed?.message ?? 'some partitions do not answer at the source');
      continue;
    }
    const column = new Float64Array(found.partitions.length);
    for (const { partition, logStart, endOffset } of ends as readonly LogEnds[]) {
      column[partition] = mapped.mapping.beginsAtEnd ? endOffset : logStart;
      if (mapped.mapping.beginsAtEnd || logStart === 0 || logStart >= endOffset) continue;
      const { leaderId } = found.partitions[partition]!;
      inside.push({ topic: found.name, partition, leaderId, topicId: found.topicId, offset: logStart });
    }
    starts.set(found.name, column);
  }
  const begun = new Set<string>();
  for (const { topic, partition, baseOffset } of await batchStarts(source, inside)) {
    starts.get(topic)![partition] = baseOffset;
    begun.add(`${partition} ${topic}`);
  }
  for (const { topic, partition } of inside)
    if (!begun.has(`${partition} ${topic}`)) {
      starts.delete(topic);
      problems.set(topic, `partition ${partition}: its first batch cannot be fetched at the moment`);
    }
  return starts;
}

/** Adds the partitions that the source added. Returns why some cannot be added yet, by name here. */
export async function growTopics(
  { source, destination, onEvent }: FollowOptions,
  topics: readonly FollowedTopic[],
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>();
  const grown = topics.filter(({ found, state }) => found.partitions.length > state.topic.partitionCount);
  for (const { found, state } of grown) {
    const { topicId, name, partitionCount } = state.topic;
    const added = found.partitions.slice(partitionCount);
    const ends = await logEnds(
      source,
      added.map(({ partition, leaderId }) => ({ topic: found.name, partition, leaderId })),
    );
    const failed = ends.find((one) => 'failure' in one);
    if (failed !== undefined) {
      problems.set(name, `partitions that the source added: ${failed.message}`);
      continue;
    }
    const logStarts = new Float64Array(added.length);
    for (const { partition, logStart } of ends as readonly LogEnds[])
      logStarts[partition - partitionCount] = logStart;
    const [result] = await destination.grow([{ topicId, partitionCount, logStarts }]);
    if (result?.error !== 'NONE') {
      const reason = result?.message ?? result?.error ?? 'the leader does not answer';
      problems.set(name, `partitions that the source added: ${reason}`);
      continue;
    }
    onEvent({
      type: 'partitions_added',
      level: 'info',
      topic: name,
      message: 'added partitions as at the source',
      fields: { partitions: found.partitions.length, partitions_before: partitionCount },
    });
  }
  return problems;
}

/** Raises the log starts of copies to those of the source. Beyond a copy's end there is a gap, which its slot finds. */
export async function moveLogStarts(
  { destination }: FollowOptions,
  topics: readonly FollowedTopic[],
): Promise<void> {
  const starts = topics.flatMap(({ state, watch }) =>
    Array.from(watch.starts, (logStartOffset, partition) => ({ partition, logStartOffset }))
      .filter(
        ({ partition, logStartOffset }) =>
          logStartOffset > (state.logStartOffset[partition] ?? Number.POSITIVE_INFINITY) &&
          logStartOffset <= (state.nextOffset[partition] ?? -1),
      )
      .map((start) => ({ topicId: state.topic.topicId, ...start })),
  );
  for (let at = 0; at < starts.length; at += startsPerCall)
    await destination.moveLogStarts(starts.slice(at, at + startsPerCall));
}

const startsPerCall = 1_000;

/** Sets the configs of copies to those of the source, where they differ. */
export async function followConfigs(
  { source, destination }: FollowOptions,
  topics: readonly FollowedTopic[],
): Promise<void> {
  const read = await topicConfigs(
    source,
    topics.map(({ found }) => found.name),
  );
  const changed = read.flatMap(({ configs, problem }, index) => {
    const { topic } = topics[index]!.state;
    if (problem !== undefined) return [];
    const wanted = copyTopicConfigs(configs).configs;
    return isSame(wanted, topic.configs) ? [] : [{ topicId: topic.topicId, configs: wanted }];
  });
  for (let at = 0; at < changed.length; at += topicsPerStep)
    await destination.setConfigs(changed.slice(at, at + topicsPerStep));
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
