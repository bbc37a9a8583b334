import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MiB, systemClock } from '@weir/core';
import { accountsUrlOf } from '../packages/controlplane/src/process/accounts-url.ts';
import type { AgentsReady, AgentsToConnect, ConnectedResults } from './agent-connections-process.ts';
import { openBenchAccounts, stockAccounts } from './api-stage.ts';
import { atMost, type Benchmark, ms, type Row } from './benchmark.ts';
import { Lifetime } from './kafka/lifetime.ts';
import { ServerProcess } from './kafka/server-process.ts';
import type { Effort } from './side-by-side.ts';

interface Scale {
  readonly clusters: number;
  readonly agentsPerCluster: number;
  /** Processes that share the agents, so that none of them is the bottleneck. */
  readonly processes: number;
  /** Covers one report interval (20 seconds) and JIT compilation. */
  readonly settleMs: number;
  readonly durationMs: number;
}

const full: Scale = {
  clusters: 1_000,
  agentsPerCluster: 10,
  processes: 3,
  settleMs: 15_000,
  durationMs: 25_000,
};
/** Smoke test. */
const tiny: Scale = { clusters: 4, agentsPerCluster: 3, processes: 1, settleMs: 50, durationMs: 500 };

/** Limit for connecting all agents. */
const connectMsMax = 180_000;
/** Each poll makes the process write metrics of every cluster. */
const leaderPollMs = 250;
/** File descriptors that a process needs in addition to its agent connections. */
const otherFiles = 500;
const bin = fileURLToPath(new URL('../bin/weir', import.meta.url));
const processFile = fileURLToPath(new URL('./agent-connections-process.ts', import.meta.url));

/**
 * Very many agents on one `weir control-plane` with very many clusters, over sockets. Each agent opens its own
 * connection with the key of its cluster, follows the cluster, sends heartbeats and reports, and polls for queries, as
 * an agent without client traffic does.
 */
export const agentConnections: Benchmark = {
  name: 'agent-connections',
  startsServers: true,
  async run(effort: Effort) {
    const scale = effort.turns > 1 ? full : tiny;
    refuseTooFewFiles(scale);
    return Lifetime.during((lifetime) => measured(lifetime, scale));
  },
};

async function measured(lifetime: Lifetime, scale: Scale): Promise<Row[]> {
  const folder = lifetime.folder();
  const databasePath = join(folder, 'weir.db');
  const clusters = await makeClusters(databasePath, scale);
  const server = await ServerProcess.start(lifetime, {
    name: 'weir control-plane',
    program: bin,
    args: [
      ...['control-plane', '-databaseURL', databasePath, '-dataDir', folder, '-logLevel', 'warn'],
      ...['-consolePort', '0', '-bindAddress', '127.0.0.1'],
    ],
    isReady: (started) => urlOf(started) !== undefined,
  });
  const ledMs = server.startMs + (await untilAllAreLed(urlOf(server)!, scale.clusters));
  await pause(scale.settleMs);
  const idle = await watched(server, scale.durationMs);
  const beganMs = systemClock.monotonicMs();
  const children = await Promise.all(
    Array.from({ length: scale.processes }, (_, number) => {
      const order: AgentsToConnect = {
        url: urlOf(server)!,
        clusters: clusters.filter((_cluster, index) => index % scale.processes === number),
        agentsPerCluster: scale.agentsPerCluster,
      };
      const orderFile = join(folder, `agents-${number}.json`);
      writeFileSync(orderFile, JSON.stringify(order), { mode: 0o600 });
      return connected(lifetime, orderFile);
    }),
  );
  const connectedMs = systemClock.monotonicMs() - beganMs;
  await pause(scale.settleMs);
  for (const child of children) child.send('begin');
  const busy = await watched(server, scale.durationMs);
  const results = await Promise.all(children.map(ended));
  return rows(scale, { idle, busy, ledMs, connectedMs, results });
}

/** Waits until the process leads all clusters, and returns for how long. */
async function untilAllAreLed(url: string, clusters: number): Promise<number> {
  const beganMs = systemClock.monotonicMs();
  for (;;) {
    const metrics = await (await fetch(new URL('/metrics', url))).text();
    const led = metrics.match(/^service_cluster_leader\{.*\} 1$/gm)?.length ?? 0;
    const tookMs = systemClock.monotonicMs() - beganMs;
    if (led >= clusters) return tookMs;
    if (tookMs > connectMsMax) throw new Error(`${led} of ${clusters} clusters are led after ${tookMs} ms`);
    await pause(leaderPollMs);
  }
}

/** Creates clusters in one account, with an agent key for each. */
async function makeClusters(databasePath: string, { clusters }: Scale): Promise<AgentsToConnect['clusters']> {
  const accounts = await openBenchAccounts(accountsUrlOf(databasePath));
  try {
    const { accountId, workspaceId, clusterIds } = await stockAccounts(accounts, { clusters, keys: 0 });
    const made: { clusterId: string; agentKey: string }[] = [];
    for (const [number, clusterId] of clusterIds.entries()) {
      const { secret } = await accounts.keys.create(accountId, {
        name: `agents_${number}`,
        grants: [
          { principalKind: 'agent', resourceKind: 'virtual_cluster', resourceId: clusterId, workspaceId },
        ],
        createdBy: '',
      });
      made.push({ clusterId, agentKey: secret });
    }
    return made;
  } finally {
    await accounts.close();
  }
}

/** Starts a process with agents and returns it when the control plane has received a heartbeat of each agent. */
async function connected(lifetime: Lifetime, orderFile: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [processFile, orderFile], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  lifetime.owns(child);
  const late = Promise.withResolvers<never>();
  const cancel = systemClock.after(connectMsMax, () =>
    late.reject(new Error(`not all agents were heard within ${connectMsMax / 1000} s`)),
  );
  try {
    const [ready] = (await Promise.race([once(child, 'message'), failed(child), late.promise])) as [
      AgentsReady,
    ];
    if (ready !== 'ready') throw new Error(`agents said ${JSON.stringify(ready)}`);
    return child;
  } finally {
    cancel();
  }
}

async function ended(child: ChildProcess): Promise<ConnectedResults> {
  const response = once(child, 'message');
  child.send('end');
  const [results] = (await Promise.race([response, failed(child)])) as [ConnectedResults];
  return results;
}

async function failed(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`agents ended with ${signal ?? code}`);
}

interface Watched {
  /** As a share of one core; `undefined` without `/proc`. */
  readonly cpuShare: number | undefined;
  readonly peakBytes: number | undefined;
}

/** Measures CPU use of the control plane over the duration, and its peak memory. */
async function watched(server: ServerProcess, durationMs: number): Promise<Watched> {
  const beganMs = systemClock.monotonicMs();
  const before = server.results;
  await pause(durationMs);
  const after = server.results;
  const seconds = (systemClock.monotonicMs() - beganMs) / 1000;
  const cpuShare = before && after && (after.cpuSeconds - before.cpuSeconds) / seconds;
  return { cpuShare, peakBytes: after?.peakBytes };
}

interface Outcome {
  readonly idle: Watched;
  readonly busy: Watched;
  /** From the start of the process until it leads all clusters. */
  readonly ledMs: number;
  readonly connectedMs: number;
  readonly results: readonly ConnectedResults[];
}

function rows(
  { clusters, agentsPerCluster }: Scale,
  { idle, busy, ledMs, connectedMs, results }: Outcome,
): Row[] {
  const agents = clusters * agentsPerCluster;
  const size = `${clusters} clusters, ${agents} agents over sockets`;
  const sum = (of: (one: ConnectedResults) => number) => results.reduce((total, one) => total + of(one), 0);
  const seconds = Math.max(...results.map(({ seconds }) => seconds));
  const perSecond = (count: number) => `${Math.round(count / seconds)}/s`;
  const agentsCpu = sum(({ cpuShare }) => cpuShare);
  const rates = `${perSecond(sum(({ heartbeats }) => heartbeats))} heartbeats, ${perSecond(sum(({ changes }) => changes))} changes told, ${sum(({ failures }) => failures)} failures, ${sum(({ snapshots }) => snapshots)} snapshots`;
  const common: Row[] = [
    {
      what: `${size}: from the start until all clusters are led`,
      result: round(ledMs / 1000),
      unit: 's',
      bar: atMost(15),
      detail: '',
    },
    {
      what: `${size}: until all are heard`,
      result: round(connectedMs / 1000),
      unit: 's',
      detail: `${Math.round(agents / (connectedMs / 1000))} agents/s`,
    },
    {
      what: `${size}: heartbeat, p99`,
      result: round(Math.max(...results.map(({ p99Ms }) => p99Ms))),
      unit: 'ms',
      detail: `p50 ${ms(Math.max(...results.map(({ p50Ms }) => p50Ms)))}, of the slowest process`,
    },
  ];
  if (idle.cpuShare === undefined || busy.cpuShare === undefined) return common;
  return [
    ...common,
    {
      what: `${size}: CPU of the control plane`,
      result: round(100 * busy.cpuShare),
      unit: '% of a core',
      bar: atMost(30),
      detail: `${rates}; without agents ${round(100 * idle.cpuShare)} %; the agents ${round(100 * agentsCpu)} %`,
    },
    {
      what: `${size}: peak memory of the control plane`,
      result: Math.round(busy.peakBytes! / MiB),
      unit: 'MiB',
      detail: `without agents ${Math.round(idle.peakBytes! / MiB)} MiB`,
    },
  ];
}

/** Fails early when the open-file limit is too low: each connection needs a file descriptor at both ends. */
function refuseTooFewFiles({ clusters, agentsPerCluster }: Scale): void {
  const needed = clusters * agentsPerCluster + otherFiles;
  const allowed = openFilesMax();
  if (allowed !== undefined && allowed < needed)
    throw new Error(`agent-connections: needs ${needed} open files, and may have ${allowed}; see ulimit -n`);
}

/** The hard limit of open files; the runtime raises its own limit to it. `undefined` without `/proc`. */
function openFilesMax(): number | undefined {
  try {
    const [, hard] = /^Max open files +\S+ +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
  } catch {
    return undefined;
  }
}

/** The address that the control plane printed. */
function urlOf({ text }: ServerProcess): string | undefined {
  return /^ {2}control plane +(\S+)\n/m.exec(text)?.[1];
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(durationMs, resolve));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
