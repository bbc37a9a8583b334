import { createMemoryEvents, type MemoryTopic } from '../../packages/events/testing/memory-events.ts';

/**
 * Events of the seeded cluster during the last two hours. The questions refer to them, so every number here is part of
 * an expected answer.
 */

const minuteMs = 60_000;

interface Happened {
  readonly minutesAgo: number;
  readonly data: Readonly<Record<string, unknown>>;
}

function times(
  count: number,
  minutes: { readonly from: number; readonly to: number },
  data: (n: number) => object,
): Happened[] {
  return Array.from({ length: count }, (_, n) => ({
    minutesAgo: minutes.from - ((minutes.from - minutes.to) * n) / count,
    data: { ...data(n) },
  }));
}

const denial =
  (principal: string, operation: string, resource_name: string, kafka_api_key_name: string) => () => ({
    principal,
    operation,
    resource_type: 'TOPIC',
    resource_name,
    kafka_api_key_name,
    log_level: 'warn',
    message: `${principal} may not ${operation} TOPIC ${resource_name}`,
  });

const history = {
  acl_logs: [
    ...times(40, { from: 55, to: 1 }, denial('User:ccn_reports', 'READ', 'orders', 'Fetch')),
    ...times(15, { from: 50, to: 5 }, denial('User:ccn_shop', 'WRITE', 'refunds', 'Produce')),
  ],
  agent_logs: [
    ...times(300, { from: 119, to: 1 }, (n) => ({
      log_level: 'info',
      message: 'a file was written',
      agent_id: n % 2 === 0 ? 'agent-a' : 'agent-b',
      module: 'write-path',
    })),
    ...times(12, { from: 29, to: 2 }, () => ({
      log_level: 'error',
      message: 'the bucket did not answer in time',
      agent_id: 'agent-b',
      module: 'storage',
    })),
  ],
  pipeline_logs: [
    ...times(2, { from: 50, to: 45 }, () => ({
      log_level: 'warn',
      message: 'failed to write to the output',
      error: 'connect ECONNREFUSED search.example:443',
      pipeline_name: 'orders_to_search',
      stage: 'output',
    })),
    ...times(4, { from: 40, to: 10 }, () => ({
      log_level: 'error',
      message: 'a record could not be parsed',
      pipeline_name: 'orders_to_lake',
      stage: 'map',
    })),
  ],
  diagnostics_logs: times(1, { from: 20, to: 19 }, () => ({
    diagnostic_id: 'no_jobs_agent',
    transition: 'failed',
    severity: 'high',
    title: 'No agent has the jobs role',
    message: 'None of 2 agents has the jobs role.',
  })),
  cluster_metrics: times(120, { from: 119, to: 1 }, (n) => ({
    metric_name: 'service_consumer_group_lag',
    value: n * 10,
    tags: { consumer_group: 'analytics', topic: 'clicks' },
  })),
} as const;

export function eventHistory(nowMs: number) {
  const topics = Object.entries(history).map(([type, happened]): MemoryTopic => {
    const records = happened
      .toSorted((a, b) => b.minutesAgo - a.minutesAgo)
      .map(({ minutesAgo, data }, n) => {
        const timeMs = Math.round(nowMs - minutesAgo * minuteMs);
        const event = {
          specversion: '1.0',
          id: `${type}-${n}`,
          source: 'ws:agent:vci_test:agent-a',
          type,
          time: new Date(timeMs).toISOString(),
          datacontenttype: 'application/json',
          data,
        };
        return { timeMs, text: JSON.stringify(event) };
      });
    return { type: type as MemoryTopic['type'], records, startOffset: 0, batchSizes: [7], sidecars: [] };
  });
  return createMemoryEvents({ topics });
}
