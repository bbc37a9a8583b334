import { systemClock } from '@weir/core';
import type { AgentDescription } from '../packages/cluster/src/calls/agents/agent-calls.ts';
import type { AgentReport } from '../packages/cluster/src/calls/agents/agent-report.ts';

/** The description that an agent sends with its heartbeat. The load differs each time. */
export function agentOf(agentId: string, number: number, beat: number): AgentDescription {
  const host = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
  return {
    agentId,
    nodeId: number + 1,
    host,
    kafkaPort: 9092,
    internalUrl: `http://${host}:8080`,
    zone: `us-east-1${'abc'[number % 3]}`,
    group: 'default',
    roles: ['proxy', 'jobs'],
    release: 'v830',
    cpuCount: 4,
    cpuLoad: (beat % 97) / 97,
  };
}

/** The reports of an agent that writes a few files. */
export function reportsOf() {
  let number = 0;
  let ackedNumber = 0;
  const startedMs = systemClock.nowMs();
  return {
    report: (): AgentReport => ({
      startedMs,
      number: ++number,
      sinceNumber: ackedNumber,
      spanMs: 20_000,
      nowMs: systemClock.nowMs(),
      files: { count: 80, bytes: 80_000_000 },
      buckets: [{ name: 's3://bucket', operationCount: 200, failureCount: 0 }],
    }),
    acknowledged: () => {
      ackedNumber = number;
    },
  };
}
