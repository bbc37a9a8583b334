import { partitionSizes } from '@weir/client';
import type { Clock } from '@weir/core';
import { type MappedTopic, mapTopics } from '../configuration/map-topics.ts';
import type { MigrationConfiguration } from '../configuration/migration-configuration.ts';
import { logEnds } from '../source/log-ends.ts';
import { sourceAcls } from '../source/source-acls.ts';
import type { SourceCluster } from '../source/source-cluster.ts';
import { brokerConfigs, topicConfigs } from '../source/source-configs.ts';
import { sourceCommits, sourceGroups } from '../source/source-groups.ts';
import { probeSource } from '../source/source-probe.ts';
import { sourceProblem } from '../source/source-problem.ts';
import { type SourceTopics, sourceTopics } from '../source/source-topics.ts';
import type { Asked, SourceFactsRead } from './preflight-facts.ts';

/**
 * Reads from a source what a preflight decides about. Throws if no broker can be asked at all; an answer that the login
 * may not have is a problem of its own.
 */
export async function readSourceFacts(
  source: SourceCluster,
  configuration: MigrationConfiguration,
  clock: Pick<Clock, 'after'>,
): Promise<SourceFactsRead> {
  const probe = await probeSource(source);
  const topics = await sourceTopics(source);
  const { mapped } = await mapTopics(configuration.mappings, topics.topics, clock);
  const names = mapped.map(({ source: name }) => name);
  const [configs, brokers, ends, topicBytes, acls, groups] = await Promise.all([
    asked(() => topicConfigs(source, names)),
    configuration.copiesClusterConfiguration ? asked(() => brokerConfigs(source)) : undefined,
    logEnds(source, placesOf(topics, mapped)),
    asked(() => bytesOf(source, new Set(names))),
    configuration.copiesAcls ? asked(() => sourceAcls(source)) : undefined,
    configuration.groups.copiesOffsets
      ? asked(async () => {
          const listed = await sourceGroups(source);
          return { listed, commits: await sourceCommits(source, listed.groups) };
        })
      : undefined,
  ]);
  return { probe, topics, configs, brokerConfigs: brokers, ends, topicBytes, acls, groups };
}

async function asked<Answer>(ask: () => Promise<Answer>): Promise<Asked<Answer>> {
  try {
    return { answer: await ask(), problem: undefined };
  } catch (error) {
    return { answer: undefined, problem: sourceProblem(error) };
  }
}

function placesOf({ topics }: SourceTopics, mapped: readonly MappedTopic[]) {
  const wanted = new Set(mapped.map(({ source }) => source));
  return topics
    .filter(({ name }) => wanted.has(name))
    .flatMap(({ name, partitions }) =>
      partitions.map(({ partition, leaderId }) => ({ topic: name, partition, leaderId })),
    );
}

/** The bytes of one replica of each topic: of the largest, because others may lag. */
async function bytesOf(
  source: SourceCluster,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const largest = new Map<string, number>();
  for (const { topic, partition, bytes } of await partitionSizes(source.asks, undefined)) {
    if (!wanted.has(topic)) continue;
    const key = `${partition} ${topic}`;
    largest.set(key, Math.max(largest.get(key) ?? 0, Number(bytes)));
  }
  const sums = new Map<string, number>();
  for (const [key, bytes] of largest) {
    const topic = key.slice(key.indexOf(' ') + 1);
    sums.set(topic, (sums.get(topic) ?? 0) + bytes);
  }
  return sums;
}
