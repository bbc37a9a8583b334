import { join } from 'node:path';
import { Metrics, silentLog, systemClock } from '@weir/core';
import {
  type AgentDescription,
  heartbeatIntervalMs,
} from '../packages/cluster/src/calls/agents/agent-calls.ts';
import { openJournals } from '../packages/journal/src/index.ts';
import { ClusterNode } from '../packages/metadata/src/leader/cluster-node.ts';

/**
 * A separate process with a node for each of many idle clusters over one SQLite file, so that its memory can be
 * measured alone. It prints one line of results and keeps running, so that standbys can follow.
 */
export interface HostedClusters {
  readonly folder: string;
  readonly role: 'leader' | 'standby';
  readonly clusters: number;
  /** Agents that send heartbeats to the leader. */
  readonly agentsPerCluster: number;
  /** Warm-up: the first rounds register the agents and compile the code in use. */
  readonly warmUpMs: number;
  /** Duration of the measurement after the warm-up. */
  readonly durationMs: number;
}

export interface HostedResults {
  /** From the start of the first node until all nodes have the requested role. */
  readonly readyMs: number;
  readonly cpuShare: number;
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
  readonly externalBytes: number;
  readonly heartbeats: number;
  /** Role changes during warm-up and measurement. */
  readonly changedRoles: number;
}

/** Interval at which the heartbeats that are due are sent, a few at a time. */
const tickMs = 20;

const order = JSON.parse(process.argv[2]!) as HostedClusters;
const hub = openJournals(join(order.folder, 'weir.db'), { clock: systemClock, log: silentLog });
const self = { id: hub.processId()!, url: 'http://127.0.0.1:1' };
const metrics = new Metrics();
const nodes = Array.from({ length: order.clusters }, (_, number) => {
  const clusterId = `vci_${String(number).padStart(32, '0')}`;
  const journal = hub.journal(clusterId);
  return new ClusterNode({ clusterId, journal, self, clock: systemClock, log: silentLog, metrics });
});
const agentCount = order.role === 'leader' ? order.clusters * order.agentsPerCluster : 0;

const startMs = systemClock.monotonicMs();
for (const node of nodes) node.start();
// A standby is ready when it knows the leader.
const isReady = ({ role, leaderUrl }: ClusterNode) => role === order.role && leaderUrl !== undefined;
while (!nodes.every(isReady)) await pause(5);
const readyMs = systemClock.monotonicMs() - startMs;

let changedRoles = 0;
for (const node of nodes) node.onRole(() => changedRoles++);
await heartbeatFor(order.warmUpMs);
const cpuBefore = process.cpuUsage();
const measuredMs = systemClock.monotonicMs();
const heartbeats = await heartbeatFor(order.durationMs);
const cpu = process.cpuUsage(cpuBefore);
const tookMs = systemClock.monotonicMs() - measuredMs;
const { rss, heapUsed, external } = process.memoryUsage();
const results: HostedResults = {
  readyMs,
  cpuShare: (cpu.user + cpu.system) / 1000 / tookMs,
  rssBytes: rss,
  heapUsedBytes: heapUsed,
  externalBytes: external,
  heartbeats,
  changedRoles,
};
process.stdout.write(`${JSON.stringify(results)}\n`);

/** Sends one heartbeat per agent and interval, in turn. */
async function heartbeatFor(durationMs: number): Promise<number> {
  const beginMs = systemClock.monotonicMs();
  let sent = 0;
  for (;;) {
    const elapsedMs = systemClock.monotonicMs() - beginMs;
    const due = Math.floor((agentCount * Math.min(elapsedMs, durationMs)) / heartbeatIntervalMs);
    const calls: Promise<unknown>[] = [];
    for (; sent < due; sent++) {
      const agent = sent % agentCount;
      calls.push(nodes[agent % order.clusters]!.heartbeat(agentOf(agent, sent)));
    }
    await Promise.all(calls);
    if (elapsedMs >= durationMs) return sent;
    await pause(tickMs);
  }
}

/** The description that an agent sends with its heartbeat. The load differs each time. */
function agentOf(number: number, heartbeat: number): AgentDescription {
  return {
    agentId: `agent-${number}-6f1c8e2a-93a7-4c58-b1de-0d1f6f0c7b55`,
    nodeId: number,
    host: `10.0.${number >> 8}.${number & 255}`,
    kafkaPort: 9092,
    internalUrl: `http://10.0.${number >> 8}.${number & 255}:8080`,
    zone: `us-east-1${'abc'[number % 3]}`,
    group: 'default',
    roles: ['proxy', 'jobs'],
    release: 'v830',
    cpuCount: 4,
    cpuLoad: (heartbeat % 97) / 97,
  };
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(durationMs, resolve));
}
