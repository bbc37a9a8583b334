import type { OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { PreflightAnswer, PreflightConfig } from '@weir/cluster';
import { lineOf } from './migration-status.ts';

type Response = OutputOf<'orbit/preflight'>;
type Underscored<Words> = Words extends `${infer First} ${infer Rest}` ? `${First}_${Rest}` : Words;

/** Within the limits of an answer, and in the words of the API. */
export function preflightResponse(answer: PreflightAnswer): Response {
  const { source, totals, findings, topics, acls, groups, leftOutCount } = answer;
  const rows = <Row>(all: readonly Row[]) => all.slice(0, apiLimits.preflightRowsMax);
  const beyond = [findings, topics, acls, groups].reduce(
    (sum, all) => sum + Math.max(0, all.length - apiLimits.preflightRowsMax),
    0,
  );
  return {
    is_ready: answer.canStart,
    findings: rows(findings).map(({ severity, subject, message }) => ({
      severity,
      subject: lineOf(subject),
      message: lineOf(message),
    })),
    source: {
      cluster_id: source.clusterId === null ? null : lineOf(source.clusterId),
      broker_count: source.brokerCount,
      has_topic_ids: source.hasTopicIds,
      knows_epochs: source.knowsEpochs,
    },
    topics: rows(topics).map((topic) => ({
      source_topic: lineOf(topic.source),
      ...(topic.destination === undefined ? {} : { topic: lineOf(topic.destination) }),
      fate: wordOf(topic.fate),
      ...reasonOf(topic.reason),
      partition_count: topic.partitionCount,
      offsets: counted(topic.offsetCount),
      ...(topic.bytes === undefined ? {} : { bytes: counted(topic.bytes) }),
      configs: configsOf(topic.configs),
      copied_configs: topic.copiedConfigCount,
    })),
    cluster_configs: configsOf(answer.clusterConfigs),
    acls: rows(acls).map(({ acl, created, note }) => ({
      acl: lineOf(acl),
      created: created.slice(0, apiLimits.preflightConfigsMax).map(lineOf),
      ...(note === undefined ? {} : { note: lineOf(note) }),
    })),
    groups: rows(groups).map((group) => ({
      group_id: lineOf(group.groupId),
      destination: lineOf(group.destination),
      fate: wordOf(group.fate),
      ...reasonOf(group.reason),
      partition_count: group.commitCount,
      state: lineOf(group.state),
    })),
    totals: {
      topics: totals.topics,
      partitions: totals.partitions,
      offsets: counted(totals.offsets),
      ...(totals.bytes === undefined ? {} : { bytes: counted(totals.bytes) }),
      groups: totals.groups,
      acls: totals.acls,
    },
    rows_left_out: leftOutCount + beyond,
  };
}

function configsOf(configs: readonly PreflightConfig[]) {
  return configs.slice(0, apiLimits.preflightConfigsMax).map(({ name, value, fate, reason }) => ({
    name: lineOf(name),
    value: lineOf(value),
    fate: wordOf(fate),
    ...reasonOf(reason),
  }));
}

function reasonOf(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason: lineOf(reason) };
}

/** Values of the API have no spaces. */
function wordOf<Words extends string>(fate: Words): Underscored<Words> {
  return fate.replaceAll(' ', '_') as Underscored<Words>;
}

function counted(value: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, value));
}
