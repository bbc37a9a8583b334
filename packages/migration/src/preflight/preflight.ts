import { collisionKey } from '@weir/cluster';
import { type Clock, coreLimits, isInternalTopic } from '@weir/core';
import { type AclOutcome, copyAcls } from '../configs/copy-acls.ts';
import { copyClusterConfigs } from '../configs/copy-cluster-configs.ts';
import { type ConfigOutcome, copyTopicConfigs } from '../configs/copy-topic-configs.ts';
import { type MappedTopic, mapTopics, type TopicMap } from '../configuration/map-topics.ts';
import type { MigrationConfiguration } from '../configuration/migration-configuration.ts';
import type { SourceTopic } from '../source/source-topics.ts';
import type { OwnFacts, OwnTopic, SourceFactsRead } from './preflight-facts.ts';
import type { Finding, GroupOutcome, Preflight, TopicOutcome } from './preflight-result.ts';

/** What a preflight decides about. */
interface PreflightInput {
  readonly configuration: MigrationConfiguration;
  readonly source: SourceFactsRead;
  readonly own: OwnFacts;
}

/** Decides what will happen to each topic, config, ACL and group, and what stands in the way. Nothing is changed. */
export async function preflight(input: PreflightInput, clock: Pick<Clock, 'after'>): Promise<Preflight> {
  const { configuration, source } = input;
  const map = await mapTopics(configuration.mappings, source.topics.topics, clock);
  const topics = topicOutcomes(input, map);
  const copied = topics.filter(isCopied);
  const acls = aclOutcomes(input, map, copied);
  const groups = groupOutcomes(input, copied);
  const clusterConfigs = copyClusterConfigs(source.brokerConfigs?.answer ?? []).outcomes;
  const findings = [
    ...sourceFindings(input),
    ...ownFindings(input, copied),
    ...topicFindings(topics, source),
    ...configFindings('the cluster', clusterConfigs),
    ...aclFindings(input, acls),
    ...groupFindings(input, groups),
  ];
  const {
    probe: { clusterId, brokers, fetchVersion, hasTopicIds, knowsEpochs },
  } = source;
  const wholes = new Set<string>(wholeSubjects);
  return {
    canStart: !findings.some(({ severity, subject }) => severity === 'blocking' && wholes.has(subject)),
    findings: findings.sort((a, b) => order[a.severity] - order[b.severity]),
    source: { clusterId, brokerCount: brokers.length, fetchVersion, hasTopicIds, knowsEpochs },
    topics,
    clusterConfigs,
    acls,
    groups,
    totals: {
      topics: copied.length,
      partitions: sum(copied, ({ partitionCount }) => partitionCount),
      offsets: sum(copied, ({ offsetCount }) => offsetCount),
      bytes: source.topicBytes.answer && sum(copied, ({ bytes }) => bytes ?? 0),
      groups: groups.filter(({ fate }) => fate === 'copied').length,
      acls: sum(acls, ({ created }) => created.length),
    },
  };
}

/** Findings about these concern every topic. */
const wholeSubjects = ['the source', 'the cluster', 'the agents'] as const;
const order = { blocking: 0, warning: 1, note: 2 } as const;

type CopiedOutcome = TopicOutcome & { readonly destination: string };

function isCopied(topic: TopicOutcome): topic is CopiedOutcome {
  return topic.fate === 'created' || topic.fate === 'continued';
}

function topicOutcomes({ source, own }: PreflightInput, map: TopicMap): readonly TopicOutcome[] {
  const mapped = new Map(map.mapped.map((topic) => [topic.source, topic]));
  const refused = new Map(map.refused.map(({ source: name, reason }) => [name, reason]));
  const configs = new Map(source.configs.answer?.map((topic) => [topic.topic, topic.configs]));
  const offsets = new Map<string, number>();
  for (const ends of source.ends)
    if ('endOffset' in ends)
      offsets.set(ends.topic, (offsets.get(ends.topic) ?? 0) + ends.endOffset - ends.logStart);
  const places = new OwnPlaces(own);
  const outcomes = source.topics.topics.map((topic): TopicOutcome => {
    const { name, partitions } = topic;
    const found = mapped.get(name);
    const common = {
      source: name,
      destination: undefined,
      partitionCount: partitions.length,
      offsetCount: offsets.get(name) ?? 0,
      bytes: source.topicBytes.answer?.get(name),
      configs: [],
    };
    if (found === undefined) {
      const reason = refused.get(name);
      const isInternal = reason === undefined || topic.isInternal;
      return { ...common, fate: isInternal ? 'not selected' : 'refused', reason };
    }
    const place = places.placeOf(found, topic);
    if (place.fate === 'refused') return { ...common, ...place };
    return {
      ...common,
      ...place,
      destination: found.destination,
      configs: copyTopicConfigs(configs.get(name) ?? []).outcomes,
    };
  });
  const unreadable = source.topics.refused.map(
    ({ name, reason }): TopicOutcome => ({
      source: name,
      destination: undefined,
      fate: 'refused',
      reason,
      partitionCount: 0,
      offsetCount: 0,
      bytes: undefined,
      configs: [],
    }),
  );
  return [...outcomes, ...unreadable].sort((a, b) => (a.source < b.source ? -1 : 1));
}

/** The names that are taken here. */
class OwnPlaces {
  readonly #pipelineId: string | undefined;
  readonly #byKey: ReadonlyMap<string, OwnTopic>;

  constructor({ pipelineId, topics }: OwnFacts) {
    this.#pipelineId = pipelineId;
    this.#byKey = new Map(topics.map((topic) => [collisionKey(topic.name), topic]));
  }

  placeOf({ destination }: MappedTopic, { partitions }: SourceTopic): Pick<TopicOutcome, 'fate' | 'reason'> {
    const refuse = (reason: string) => ({ fate: 'refused', reason }) as const;
    if (isInternalTopic(destination))
      return refuse(
        `would be ${destination}, and such names belong to the service; set a destination_prefix`,
      );
    if (partitions.length > coreLimits.partitionsPerTopicMax)
      return refuse(
        `has ${partitions.length} partitions, and a topic here has at most ${coreLimits.partitionsPerTopicMax}`,
      );
    const own = this.#byKey.get(collisionKey(destination));
    if (own === undefined) return { fate: 'created', reason: undefined };
    if (own.name !== destination)
      return refuse(
        `would be ${destination}, which differs from the topic ${own.name} here in "." and "_" only; set a destination_prefix`,
      );
    if (own.managedBy === undefined || own.managedBy !== this.#pipelineId)
      return refuse(
        own.managedBy === undefined
          ? `the topic ${destination} exists here already with records of its own; delete it here, or set a destination_prefix`
          : `the topic ${destination} belongs to another migration; set a destination_prefix`,
      );
    if (own.partitionCount > partitions.length)
      return refuse(
        `has ${partitions.length} partitions, and its copy ${own.partitionCount}: it was created again at the source`,
      );
    return { fate: 'continued', reason: undefined };
  }
}

function aclOutcomes(
  { configuration, source }: PreflightInput,
  map: TopicMap,
  copied: readonly CopiedOutcome[],
): readonly AclOutcome[] {
  const names = new Set(copied.map(({ source: name }) => name));
  return copyAcls(source.acls?.answer?.acls ?? [], {
    topics: map.mapped.filter(({ source: name }) => names.has(name)),
    topicPrefixes: [...new Set(configuration.mappings.map(({ destinationPrefix }) => destinationPrefix))],
    groupPrefix: configuration.groups.destinationPrefix,
  });
}

function groupOutcomes(
  { configuration, source, own }: PreflightInput,
  copied: readonly CopiedOutcome[],
): readonly GroupOutcome[] {
  const read = source.groups?.answer;
  if (read === undefined) return [];
  const names = new Set(copied.map(({ source: name }) => name));
  const counts = new Map<string, number>();
  for (const { groupId, topic } of read.commits.commits)
    if (names.has(topic)) counts.set(groupId, (counts.get(groupId) ?? 0) + 1);
  return read.listed.groups.map(({ groupId, state, type }): GroupOutcome => {
    const destination = configuration.groups.destinationPrefix + groupId;
    const commitCount = counts.get(groupId) ?? 0;
    const common = { groupId, destination, commitCount, state };
    if (type === 'share' || type === 'streams')
      return { ...common, fate: 'left out', reason: `${type} groups keep no offsets that can be copied` };
    if (commitCount === 0)
      return { ...common, fate: 'left out', reason: 'it has no offsets of topics that are copied' };
    if (own.busyGroups.has(destination))
      return {
        ...common,
        fate: 'waits',
        reason: 'it has members here; its offsets are left alone until it has none',
      };
    return { ...common, fate: 'copied', reason: undefined };
  });
}

function sourceFindings({ configuration, source: { probe, ends } }: PreflightInput): Finding[] {
  const subject = 'the source';
  const found: Finding[] = [];
  const unusable = probe.brokers.filter(({ problem }) => problem !== undefined);
  for (const { nodeId, address, problem } of unusable.slice(0, shownMax))
    found.push({ severity: 'blocking', subject, message: `broker ${nodeId} (${address}): ${problem}` });
  if (unusable.length > shownMax)
    found.push({
      severity: 'blocking',
      subject,
      message: `${unusable.length - shownMax} more brokers cannot be copied from`,
    });
  if (!probe.hasTopicIds)
    found.push({
      severity: 'note',
      subject,
      message:
        'has no ids of topics (Kafka before 2.8): a topic that is deleted and created again is recognised by its offsets only; do not do so while it is copied',
    });
  if (!probe.knowsEpochs)
    found.push({
      severity: 'note',
      subject,
      message:
        'does not say where epochs of leaders end (Kafka before 2.1): an unclean leader election that goes unnoticed by offsets may leave other records in the copy',
    });
  const { credentials } = configuration;
  if (credentials?.usesTls && credentials.skipsVerification)
    found.push({
      severity: 'warning',
      subject,
      message: 'tls_insecure_skip_verify accepts every certificate; set tls_ca_cert_env instead',
    });
  if (credentials?.mechanism === 'plain' && !credentials.usesTls)
    found.push({
      severity: 'warning',
      subject,
      message: 'the password is sent in clear text: use a TLS listener with use_tls: true, or scram-512',
    });
  const silent = ends.filter((end) => 'message' in end);
  for (const [topic, of] of [...Map.groupBy(silent, ({ topic: name }) => name)].slice(0, shownMax))
    found.push({
      severity: 'warning',
      subject: `topic ${topic}`,
      message: `${of.length} partitions do not answer at the moment, and are copied once they do: ${of[0]!.message}`,
    });
  return found;
}

function ownFindings({ own, configuration }: PreflightInput, copied: readonly CopiedOutcome[]): Finding[] {
  const found: Finding[] = [];
  if (own.jobAgentCount === 0)
    found.push({
      severity: 'blocking',
      subject: 'the agents',
      message:
        'no agent runs jobs of migrations; start one with the role jobs, and with orbit if -jobCategories names any',
    });
  const partitions = sum(
    copied.filter(({ fate }) => fate === 'created'),
    ({ partitionCount }) => partitionCount,
  );
  if (partitions > own.freePartitions)
    found.push({
      severity: 'blocking',
      subject: 'the cluster',
      message: `${partitions} partitions are to be created, and there is room for ${own.freePartitions}; copy fewer topics`,
    });
  if (copied.length === 0)
    found.push({
      severity: 'blocking',
      subject: 'the source',
      message:
        'no topic would be copied; check topic_mappings, and whether the login may describe the topics',
    });
  if (configuration.copiesAcls && !own.enforcesAcls)
    found.push({
      severity: 'note',
      subject: 'the cluster',
      message:
        'does not enforce ACLs: those of the source are created, and deny nothing until service.acls.enabled is true',
    });
  return found;
}

function topicFindings(topics: readonly TopicOutcome[], source: SourceFactsRead): Finding[] {
  const found: Finding[] = [];
  for (const { source: name, fate, reason, configs } of topics) {
    if (fate === 'refused') found.push({ severity: 'blocking', subject: `topic ${name}`, message: reason! });
    if (configs.length > 0) found.push(...configFindings(`topic ${name}`, configs));
  }
  if (source.configs.problem !== undefined)
    found.push({
      severity: 'warning',
      subject: 'the source',
      message: `configs of topics cannot be read, so that copies have the defaults of this cluster: ${source.configs.problem}`,
    });
  for (const { topic, problem } of source.configs.answer ?? [])
    if (problem !== undefined)
      found.push({
        severity: 'warning',
        subject: `topic ${topic}`,
        message: `its configs cannot be read, so that the copy has the defaults of this cluster; the login needs DESCRIBE_CONFIGS: ${problem}`,
      });
  if (source.brokerConfigs?.problem !== undefined)
    found.push({
      severity: 'warning',
      subject: 'the source',
      message: `configs of brokers cannot be read: ${source.brokerConfigs.problem}`,
    });
  if (source.topicBytes.problem !== undefined)
    found.push({
      severity: 'note',
      subject: 'the source',
      message: `sizes of topics are not known, and so no time is estimated from bytes: ${source.topicBytes.problem}`,
    });
  return found;
}

function configFindings(subject: string, configs: readonly ConfigOutcome[]): Finding[] {
  return configs
    .filter(({ fate }) => fate === 'refused')
    .map(({ name, value, reason }) => ({
      severity: 'warning',
      subject,
      message: `${name}=${value} is not copied: ${reason}`,
    }));
}

function aclFindings({ source: { acls } }: PreflightInput, outcomes: readonly AclOutcome[]): Finding[] {
  const problem = acls?.problem ?? acls?.answer?.problem;
  const found: Finding[] =
    problem === undefined
      ? []
      : [{ severity: 'warning', subject: 'ACLs', message: `none is copied: ${problem}` }];
  const leftOut = outcomes.filter(({ created }) => created.length === 0);
  for (const [note, of] of Map.groupBy(leftOut, ({ note }) => note))
    found.push({ severity: 'warning', subject: 'ACLs', message: `${of.length} are left out: ${note}` });
  if (acls !== undefined && problem === undefined)
    found.push({
      severity: 'note',
      subject: 'ACLs',
      message: 'passwords cannot be copied: create the users of the ACLs here as credentials',
    });
  return found;
}

function groupFindings({ source: { groups } }: PreflightInput, outcomes: readonly GroupOutcome[]): Finding[] {
  const found: Finding[] = [];
  const problems = [
    ...(groups?.problem === undefined ? [] : [groups.problem]),
    ...(groups?.answer?.listed.problems ?? []),
    ...(groups?.answer?.commits.problems ?? []),
  ];
  for (const message of [...new Set(problems)].slice(0, shownMax))
    found.push({
      severity: 'warning',
      subject: 'groups',
      message: `some offsets cannot be read: ${message}`,
    });
  for (const { groupId, fate, reason, state } of outcomes)
    if (fate === 'waits')
      found.push({
        severity: 'warning',
        subject: `group ${groupId}`,
        message: isActive(state)
          ? `it has members here and at the source; stop one of them: ${reason}`
          : reason!,
      });
  return found;
}

/** States of groups with members, as brokers spell them. */
function isActive(state: string): boolean {
  return !['', 'Empty', 'Dead', 'Unknown'].includes(state);
}

const shownMax = 20;

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
