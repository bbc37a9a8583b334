import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { connectCluster } from '../../packages/rpc/src/client/client.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import type { ServerProcess } from '../kafka/server-process.ts';
import { addressIn, leads, startWeir } from '../kafka/weir.ts';
import type { RegistryLoad, RegistryLoadResult } from './load.ts';
import { type ProbeLine, probeMark } from './probe.ts';
import { entriesOf, type RegistrySize } from './schemas.ts';

const options = {
  profileFolder: undefined,
  nodeOptions: `--import ${new URL('./probe.ts', import.meta.url).href}`,
};
/** Bytes of changes in one call. */
const changeBytes = 250_000;
const probeWaitMs = 5;

interface ClusterAddress {
  readonly url: string;
  readonly clusterId: string;
  readonly agentKey: string;
}

/** The processes that serve a registry, over SQLite. */
export interface RegistryStage {
  readonly name: string;
  /** Serves the registry. */
  readonly server: ServerProcess;
  readonly controlPlane: ServerProcess;
  readonly cluster: ClusterAddress;
  /** Starts all processes again over the same data. */
  restart(): Promise<RegistryStage>;
}

/** A control plane and an agent of a schema registry cluster. */
export async function startRegistryCluster(lifetime: Lifetime): Promise<RegistryStage> {
  const clusterId = `vci_sr_${randomUUID().replaceAll('-', '_')}`;
  const agentKey = `aks_${randomBytes(32).toString('hex')}`;
  const identity = ['-defaultVirtualClusterID', clusterId, '-agentKey', agentKey];
  const database = join(lifetime.folder(), 'weir.db');
  const startControlPlane = () =>
    startWeir(
      lifetime,
      [
        ...['control-plane', ...identity, '-databaseURL', database],
        ...['-consolePort', '0', '-bindAddress', '127.0.0.1', '-logLevel', 'info'],
      ],
      ['control plane'],
      options,
      leads,
    );
  const startAgent = (url: string) =>
    startWeir(
      lifetime,
      [
        ...['agent', ...identity, '-metadataURL', url, '-availabilityZone', 'bench'],
        ...['-bindAddress', '127.0.0.1', '-schemaRegistryPort', '0', '-httpPort', '0'],
        ...['-gracefulShutdownDuration', '1s'],
      ],
      ['registry', 'HTTP'],
      options,
    );
  const start = async (): Promise<RegistryStage> => {
    const controlPlane = await startControlPlane();
    const url = addressIn(controlPlane, 'control plane')!;
    const server = await startAgent(url);
    return {
      name: 'an agent',
      server,
      controlPlane,
      cluster: { url, clusterId, agentKey },
      async restart() {
        await server.stop();
        await controlPlane.stop();
        return start();
      },
    };
  };
  return await start();
}

/** A playground: agent and control plane in one process. */
export async function startRegistryPlayground(lifetime: Lifetime): Promise<RegistryStage> {
  const dataDir = lifetime.folder();
  const start = async (): Promise<RegistryStage> => {
    const server = await startWeir(
      lifetime,
      [
        ...['playground', '-dataDir', dataDir, '-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0'],
        ...['-schemaRegistryPort', '0'],
      ],
      ['registry', 'control plane'],
      options,
    );
    const identity = JSON.parse(readFileSync(join(dataDir, 'identity.json'), 'utf8')) as ClusterAddress;
    const { clusterId, agentKey } = identity;
    return {
      name: 'a playground',
      server,
      controlPlane: server,
      cluster: { url: addressIn(server, 'control plane')!, clusterId, agentKey },
      async restart() {
        await server.stop();
        return start();
      },
    };
  };
  return await start();
}

/** Writes the entries of a registry as agents do, without their checks. */
export async function fill({ cluster }: RegistryStage, size: RegistrySize): Promise<void> {
  const port = connectCluster({
    urls: [cluster.url],
    clusterId: cluster.clusterId,
    agentKey: () => cluster.agentKey,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: new Metrics(),
  });
  try {
    let expectedRevision = 0;
    let changes: ReturnType<typeof entriesOf> extends Iterable<infer Change> ? Change[] : never = [];
    let bytes = 0;
    const send = async () => {
      const { error, message, revision } = await port.changeRegistry({ expectedRevision, changes });
      if (error !== 'NONE') throw new Error(`the registry was not filled: ${message}`);
      expectedRevision = revision;
      changes = [];
      bytes = 0;
    };
    for (const change of entriesOf(size)) {
      changes.push(change);
      bytes += change.value!.length;
      if (bytes >= changeBytes) await send();
    }
    await send();
  } finally {
    port.close();
  }
}

/** Makes the first request, with which the server loads the registry. Returns how long it took. */
export async function firstRequest({ server }: RegistryStage): Promise<number> {
  const startMs = systemClock.monotonicMs();
  const response = await fetch(`${addressIn(server, 'registry')}/subjects?limit=1`);
  const body = await response.text();
  if (response.status !== 200) throw new Error(`the first request: ${response.status} ${body}`);
  return systemClock.monotonicMs() - startMs;
}

/** Memory of a process after a garbage collection, and after the runtime has returned what it freed. */
export async function settled(server: ServerProcess, settleMs: number): Promise<ProbeLine> {
  const { longestBlockMs } = await probe(server);
  await pause(settleMs);
  return { ...(await probe(server)), longestBlockMs };
}

async function probe(server: ServerProcess): Promise<ProbeLine> {
  const marks = () => server.text.split(`${probeMark} `);
  const before = marks().length;
  process.kill(server.pid, 'SIGUSR2');
  for (;;) {
    const lines = marks();
    const line = lines.at(-1)!;
    if (lines.length > before && line.includes('\n')) return JSON.parse(line.split('\n', 1)[0]!) as ProbeLine;
    await pause(probeWaitMs);
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(durationMs, resolve));
}

export interface MeasuredLoad extends RegistryLoadResult {
  /** CPU time of the server and of the control plane; they may be the same process. */
  readonly serverCpuSeconds: number;
  readonly controlPlaneCpuSeconds: number;
}

export async function measureLoad(
  { server, controlPlane }: RegistryStage,
  load: Omit<RegistryLoad, 'port'>,
): Promise<MeasuredLoad> {
  const port = Number(new URL(addressIn(server, 'registry')!).port);
  const before = [server, controlPlane].map((process) => process.results!.cpuSeconds);
  const workerData: RegistryLoad = { ...load, port };
  const worker = new Worker(new URL('./load.ts', import.meta.url), { workerData });
  const [result] = (await once(worker, 'message')) as [RegistryLoadResult];
  const after = [server, controlPlane].map((process) => process.results!.cpuSeconds);
  await worker.terminate();
  return {
    ...result,
    serverCpuSeconds: after[0]! - before[0]!,
    controlPlaneCpuSeconds: after[1]! - before[1]!,
  };
}
