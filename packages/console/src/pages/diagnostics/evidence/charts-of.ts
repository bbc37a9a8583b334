import type { CallOf, OutputOf } from '@weir/api/client';
import { type NamedObject, objectOf } from './message-parts.ts';

type Diagnostic = Pick<OutputOf<'get_diagnostic'>['diagnostic'], 'name' | 'groups'>;
type Query = Omit<CallOf<'query_metrics'>, 'virtual_cluster_id' | 'range_seconds'>;

/** A chart of what a finding is about. */
export interface EvidenceChart {
  readonly title: string;
  readonly query: Query;
  readonly unit: 'number' | 'bytes' | 'ms' | 'seconds' | 'share';
}

const chartsMax = 4;

const agents: EvidenceChart = { title: 'Agents', query: { metrics: ['agents'] }, unit: 'number' };
const load: EvidenceChart = {
  title: 'Agent CPU',
  query: { metrics: ['cpu_load'], group_by: 'agent' },
  unit: 'share',
};
const latency: EvidenceChart = {
  title: 'Produce latency',
  query: { metrics: ['produce_latency_p50_ms', 'produce_latency_p99_ms'] },
  unit: 'ms',
};
const written: EvidenceChart = {
  title: 'Bytes written per second',
  query: { metrics: ['in_bytes_per_second'], group_by: 'agent' },
  unit: 'bytes',
};

/** By the names of checks, which never change. */
const chartsByName: Readonly<Record<string, readonly EvidenceChart[]>> = {
  no_agents: [agents],
  lost_agent: [agents],
  overloaded_agents: [load],
  unbalanced_agents: [load, written],
  produce_timeout: [latency],
  bucket_latency: [latency],
  bucket_failures: [latency],
  small_files: [written],
};

/** Charts of the objects that a diagnostic found, as far as they are sampled. */
export function chartsOf({ name, groups }: Diagnostic): readonly EvidenceChart[] {
  if (groups.length === 0) return [];
  const objects = groups.flatMap((group) => objectOf(group) ?? []);
  return [...(chartsByName[name] ?? []), ...objects.flatMap(chartsOfObject)].slice(0, chartsMax);
}

function chartsOfObject({ kind, name }: NamedObject): EvidenceChart[] {
  if (kind === 'group')
    return [
      {
        title: `Lag of ${name} by topic`,
        query: { metrics: ['lag'], group: name, group_by: 'topic' },
        unit: 'number',
      },
      {
        title: `Records per second of ${name}`,
        query: { metrics: ['produced_records_per_second', 'consumed_records_per_second'], group: name },
        unit: 'number',
      },
    ];
  if (kind === 'topic')
    return [
      {
        title: `Records per second into ${name}`,
        query: { metrics: ['in_records_per_second'], topic: name, group_by: 'topic' },
        unit: 'number',
      },
    ];
  if (kind === 'table')
    return [
      { title: `Lag of ${name}`, query: { metrics: ['lag_seconds'], table: name }, unit: 'seconds' },
      {
        title: `Records per second into ${name}`,
        query: { metrics: ['in_records_per_second'], table: name },
        unit: 'number',
      },
    ];
  return [];
}
