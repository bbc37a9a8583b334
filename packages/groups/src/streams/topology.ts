import type { StreamsInternalTopic, StreamsSubtopology, StreamsTopology } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import { groupLimits } from '../limits.ts';

/** The topics that tasks of the subtopology read. */
export function sourcesOf({ sourceTopics, repartitionSourceTopics }: StreamsSubtopology): string[] {
  return [...new Set([...sourceTopics, ...repartitionSourceTopics.map(({ name }) => name)])];
}

/** All topics that have to exist before tasks can run. */
export function requiredTopics({ subtopologies }: StreamsTopology): Set<string> {
  const names = new Set<string>();
  for (const subtopology of subtopologies) {
    for (const name of sourcesOf(subtopology)) names.add(name);
    for (const { name } of subtopology.changelogTopics) names.add(name);
  }
  return names;
}

/** Orders all parts, so that equal topologies have equal texts whatever order a client sends them in. */
export function normalised({ epoch, subtopologies }: StreamsTopology): StreamsTopology {
  const ordered = subtopologies.map((subtopology) => ({
    subtopologyId: subtopology.subtopologyId,
    sourceTopics: unique(subtopology.sourceTopics),
    changelogTopics: orderedTopics(subtopology.changelogTopics),
    repartitionSinkTopics: unique(subtopology.repartitionSinkTopics),
    repartitionSourceTopics: orderedTopics(subtopology.repartitionSourceTopics),
    copartitionGroups: orderedGroups(subtopology.copartitionGroups),
  }));
  return { epoch, subtopologies: ordered.sort((a, b) => compare(a.subtopologyId, b.subtopologyId)) };
}

/** Says what is wrong with a topology, whatever topics exist. */
export function problemOfTopology(topology: StreamsTopology): string | undefined {
  const { subtopologies } = topology;
  const { streamsSubtopologiesMax, streamsTopologyCharsMax } = groupLimits;
  if (topology.epoch < 0) return `The topology epoch ${topology.epoch} is negative.`;
  if (subtopologies.length > streamsSubtopologiesMax) {
    return `The topology has ${subtopologies.length} subtopologies; at most ${streamsSubtopologiesMax} are allowed.`;
  }
  const chars = JSON.stringify(topology).length;
  if (chars > streamsTopologyCharsMax) {
    return `The topology has ${chars} characters; at most ${streamsTopologyCharsMax} are allowed.`;
  }
  if (new Set(subtopologies.map(({ subtopologyId }) => subtopologyId)).size < subtopologies.length) {
    return 'Two subtopologies have the same id.';
  }
  for (const subtopology of subtopologies) {
    const problem = problemOfSubtopology(subtopology);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfSubtopology(subtopology: StreamsSubtopology): string | undefined {
  const { subtopologyId, changelogTopics, repartitionSourceTopics, copartitionGroups } = subtopology;
  const sources = new Set(sourcesOf(subtopology));
  if (sources.size === 0) return `No source topics found for subtopology ${subtopologyId}`;
  const fixed = changelogTopics.find(({ partitionCount }) => partitionCount !== 0);
  if (fixed !== undefined) {
    return `Changelog topic ${fixed.name} must have an undefined partition count, but it is set to ${fixed.partitionCount}.`;
  }
  const max = coreLimits.partitionsPerTopicMax;
  const uncountable = repartitionSourceTopics.find(
    ({ partitionCount }) => partitionCount < 0 || partitionCount > max,
  );
  if (uncountable !== undefined) {
    return `Repartition topic ${uncountable.name} must have up to ${max} partitions, or 0 for as many as its sources.`;
  }
  if (copartitionGroups.some((names) => names.some((name) => !sources.has(name)))) {
    return `A copartition group of subtopology ${subtopologyId} has a topic that is no source of it.`;
  }
  return undefined;
}

function orderedTopics(topics: readonly StreamsInternalTopic[]): StreamsInternalTopic[] {
  return topics
    .map(({ name, partitionCount, replicationFactor, configs }) => ({
      name,
      partitionCount,
      replicationFactor,
      configs: Object.fromEntries(Object.entries(configs).sort(([a], [b]) => compare(a, b))),
    }))
    .sort((a, b) => compare(a.name, b.name));
}

function orderedGroups(groups: readonly (readonly string[])[]): string[][] {
  return groups.map(unique).sort((a, b) => compare(a.join(' '), b.join(' ')));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort(compare);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
