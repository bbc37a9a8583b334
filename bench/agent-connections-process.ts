import { readFileSync } from 'node:fs';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { Heartbeats } from '../packages/agent/src/heartbeats.ts';
import { queryWaitMs } from '../packages/jobs/src/query/query-runner.ts';
import { type ClusterClient, connectCluster } from '../packages/rpc/src/client/client.ts';
import { agentOf, reportsOf } from './described-agent.ts';

/**
 * A process with very many agents that have only a connection to the control plane. It sends `ready` when the control
 * plane has received a heartbeat of each, resets its counters on `begin`, and answers `end` with the results.
 */
export interface AgentsToConnect {
  readonly url: string;
  readonly clusters: readonly { readonly clusterId: string; readonly agentKey: string }[];
  readonly agentsPerCluster: number;
}

export type AgentsReady = 'ready';

export interface ConnectedResults {
  readonly seconds: number;
  readonly heartbeats: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Cluster snapshots received: one for each connection that was opened again. */
  readonly snapshots: number;
  /** Change messages that agents received. */
  readonly changes: number;
  /** CPU time of this process as a share of one core. */
  readonly cpuShare: number;
}

/**
 * Agents that connect at the same time. A control plane checks a hundred unknown keys at once per address, and three
 * processes share the address.
 */
const connectingMax = 30;
const queryRetryMs = 1_000;

const order = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as AgentsToConnect;
const metrics = new Metrics();
let counted = nothing();
process.on('disconnect', () => process.exit());
process.on('message', (word) => {
  if (word === 'begin') counted = nothing();
  else process.send!(results());
});

const toConnect = order.clusters.flatMap((cluster) =>
  Array.from({ length: order.agentsPerCluster }, (_, number) => ({ ...cluster, number })),
);
let next = 0;
await Promise.all(
  Array.from({ length: connectingMax }, async () => {
    while (next < toConnect.length) await connect(toConnect[next]!, next++);
  }),
);
const ready: AgentsReady = 'ready';
process.send!(ready);

async function connect(
  { clusterId, agentKey }: { readonly clusterId: string; readonly agentKey: string },
  number: number,
): Promise<void> {
  const port = connectCluster({
    urls: [order.url],
    clusterId,
    agentKey: () => agentKey,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics,
  });
  port.follow({
    onSnapshot: () => {
      counted.snapshots++;
    },
    onChanges: () => {
      counted.changes++;
    },
  });
  const agentId = `agent-${process.pid}-${number}-93a7-4c58-b1de-0d1f6f0c7b55`;
  let beat = number;
  const heartbeats = new Heartbeats({
    port: { ...port, heartbeat: (heartbeat) => timed(() => port.heartbeat(heartbeat)) },
    self: () => agentOf(agentId, number, beat++),
    reports: reportsOf(),
    clock: systemClock,
    log: silentLog,
  });
  await waitForView(heartbeats);
  void waitForQueries(port, agentId);
}

/** Waits for the first heartbeat without a limit; failures are counted. */
async function waitForView(heartbeats: Heartbeats): Promise<void> {
  for (;;) {
    try {
      return await heartbeats.start();
    } catch {
      // Retry on any error. The parent ends this process when it takes too long.
    }
  }
}

async function timed<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  const sentMs = systemClock.monotonicMs();
  try {
    const answer = await call();
    counted.latenciesMs.push(systemClock.monotonicMs() - sentMs);
    return answer;
  } catch (error) {
    counted.failures++;
    throw error;
  }
}

async function waitForQueries(port: ClusterClient, agentId: string): Promise<never> {
  for (;;) {
    try {
      await port.takeQuery({ agentId, waitMs: queryWaitMs });
    } catch {
      await new Promise<void>((resolve) => systemClock.after(queryRetryMs, resolve));
    }
  }
}

function nothing() {
  return {
    sinceMs: systemClock.monotonicMs(),
    cpu: process.cpuUsage(),
    failures: 0,
    snapshots: 0,
    changes: 0,
    latenciesMs: [] as number[],
  };
}

function results(): ConnectedResults {
  const { sinceMs, cpu, failures, snapshots, changes, latenciesMs } = counted;
  const seconds = (systemClock.monotonicMs() - sinceMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return {
    seconds,
    heartbeats: sorted.length,
    failures,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    snapshots,
    changes,
    cpuShare: (user + system) / 1_000_000 / seconds,
  };
}
