import type { OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { type ClusterPort, clusterConfigValue } from '@weir/cluster';
import { controlPlaneLimits } from '../../limits.ts';

type DeletionEstimate = NonNullable<OutputOf<'update_topic'>['deletion_estimate']>;
type Texts = Readonly<Record<string, string>>;

interface ConfigsChange {
  /** The topic whose configs change; `null` for those of the cluster. */
  readonly topicId: string | null;
  readonly before: Texts;
  readonly after: Texts;
  readonly nowMs: number;
}

interface Loss {
  records: number;
  bytes: number;
}

/** Configs that decide what retention deletes, of topics and of the cluster. */
const retentionConfigs = [
  'retention.ms',
  'retention.bytes',
  'cleanup.policy',
  'log.retention.ms',
  'log.retention.bytes',
  'log.cleanup.policy',
];

/** Counts what a change of configs deletes that the present configs keep. */
export async function deletionEstimate(port: ClusterPort, change: ConfigsChange): Promise<DeletionEstimate> {
  const { topicId, before, after } = change;
  const isRetention = retentionConfigs.some((name) => before[name] !== after[name]);
  const { lost, isComplete } = isRetention
    ? await lostRecords(port, topicId, after)
    : { lost: new Map<string, Loss>(), isComplete: true };
  const topics = [...lost]
    .map(([name, loss]) => ({ name, ...loss }))
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  const expired = topicId === null ? await expiredTopics(port, change) : [];
  return {
    records: sum(topics.map(({ records }) => records)),
    bytes: sum(topics.map(({ bytes }) => bytes)),
    topic_count: topics.length,
    topics: topics.slice(0, apiLimits.deletionEstimateTopicsMax),
    deleted_topic_count: expired.length,
    deleted_topic_bytes: sum(expired),
    is_complete: isComplete,
  };
}

async function lostRecords(port: ClusterPort, topicId: string | null, configs: Texts) {
  // With the new configs first: if retention runs in between, the difference is too large rather than too small.
  const altered = await count(port, { topicId, configs, rules: 'altered' });
  const present = await count(port, { topicId, configs, rules: 'present' });
  const lost = new Map<string, Loss>();
  for (const [name, { records, bytes }] of altered.losses) {
    const due = present.losses.get(name);
    const more = { records: records - (due?.records ?? 0), bytes: bytes - (due?.bytes ?? 0) };
    if (more.records > 0) lost.set(name, { records: more.records, bytes: Math.max(more.bytes, 0) });
  }
  return { lost, isComplete: altered.isComplete && present.isComplete };
}

async function count(port: ClusterPort, request: Parameters<ClusterPort['estimateRetention']>[0]) {
  const losses = new Map<string, Loss>();
  let from = { topicNumber: 0, partition: 0, offset: 0, bytesBefore: 0 };
  for (let calls = 0; calls < controlPlaneLimits.deletionEstimateCallsMax; calls++) {
    const { topics, next } = await port.estimateRetention(request, from);
    for (const { name, records, bytes } of topics) {
      const known = losses.get(name) ?? { records: 0, bytes: 0 };
      losses.set(name, { records: known.records + records, bytes: known.bytes + bytes });
    }
    if (next === null) return { losses, isComplete: true };
    from = next;
  }
  return { losses, isComplete: false };
}

/** Returns the bytes of each deleted topic that can be restored now and not with the new configs. */
async function expiredTopics(port: ClusterPort, { before, after, nowMs }: ConfigsChange): Promise<number[]> {
  const ttlMs = restorableMs(after);
  if (ttlMs >= restorableMs(before)) return [];
  return (await port.listDeletedTopics())
    .filter(({ deletedMs }) => deletedMs + ttlMs <= nowMs)
    .map(({ byteCount }) => byteCount);
}

function restorableMs(texts: Texts): number {
  if (!clusterConfigValue('service.soft.delete.topic.enable', texts)) return 0;
  return clusterConfigValue('service.soft.delete.topic.ttl.ms', texts);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
