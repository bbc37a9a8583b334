import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@weir/core';
import { type PostgresServer, startPostgres } from '../interop/postgres/server.ts';
import { pythonWith } from '../interop/python/venv.ts';
import { type ClusterOptions, FaultCluster } from './cluster/cluster.ts';
import { FaultyProxy } from './cluster/faulty-proxy.ts';
import { Namespaces } from './cluster/namespaces.ts';
import { SmallDisk } from './cluster/small-disk.ts';
import { checkHistory, type Verdict } from './history/check-history.ts';
import type { FaultEvent } from './history/events.ts';
import { Recorder } from './history/recorder.ts';
import type { Scenario } from './scenarios.ts';
import type { Workload } from './workloads/workloads.ts';

interface ScenarioOptions {
  readonly seed: number;
  readonly troubleMs: number;
}

export type Outcome =
  | { readonly skipped: string }
  | {
      readonly verdict: Verdict;
      readonly harms: number;
      /** The error that stopped the scenario early, if any. */
      readonly problem?: string;
      /** The notes and logs of the cluster. */
      readonly report: string;
      readonly history: readonly FaultEvent[];
      readonly seconds: number;
    };

/** Generous, because the machine may be busy. */
const recoveryMsMax = 90_000;
const diskMebibytes = 16;

/** With three regions, or with three zones and the control planes in a fourth namespace. */
const namespaceCounts = { regions: 3, zones: 4 } as const;

interface Ground {
  readonly namespaces: Namespaces | undefined;
  readonly database: PostgresServer | undefined;
  readonly databaseUrl: string | undefined;
  readonly disk: SmallDisk | undefined;
  leave(): Promise<void>;
}

/** Prepares what the scenario needs of the machine, or returns the reason why it is not available. */
async function prepare({
  database: kind,
  smallDisk,
  needsLibrdkafka,
  network,
}: Scenario): Promise<Ground | string> {
  const missing = needsLibrdkafka && pythonWith('confluent-kafka').missing;
  if (typeof missing === 'string') return missing;
  let namespaces: Namespaces | undefined;
  if (network !== undefined) {
    const made = Namespaces.make(namespaceCounts[network]);
    if ('missing' in made) return made.missing;
    namespaces = made;
  }
  let database: PostgresServer | undefined;
  if (kind === 'postgres') {
    const found = await startPostgres();
    if ('missing' in found) {
      namespaces?.remove();
      return found.missing;
    }
    database = found;
  }
  const databasePort = Number(new URL(database?.url ?? 'none://none').port);
  const door =
    database && namespaces
      ? await FaultyProxy.toPort(systemClock, () => databasePort, namespaces.address('database'))
      : undefined;
  const databaseUrl = door
    ? database!.url.replace(/127\.0\.0\.1:\d+/, `${namespaces!.address('database')}:${door.port}`)
    : database?.url;
  const folder = mkdtempSync(join(tmpdir(), 'weir-faults-disk-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  let disk: SmallDisk | undefined;
  if (smallDisk !== undefined) {
    const mounted = SmallDisk.mount(join(folder, 'disk'), diskMebibytes);
    if ('missing' in mounted) {
      remove();
      return mounted.missing;
    }
    disk = mounted;
  }
  return {
    namespaces,
    database,
    databaseUrl,
    disk,
    async leave() {
      door?.stop();
      namespaces?.remove();
      disk?.unmount();
      remove();
      await database?.stop();
    },
  };
}

/** All regions in one group, so that the cluster is led in the first of them that has a control plane. */
const regionGroups = 'all@region-0,region-1,region-2';

/** Where processes are, and their flags for it. */
function placement({ network, agentFlags = [] }: Scenario, namespaces: Namespaces | undefined) {
  if (namespaces === undefined) return { controlPlaneCount: 2, agentFlags: () => agentFlags };
  const three = [0, 1, 2];
  if (network === 'zones') {
    const places = { namespaces, agents: three, controlPlanes: [3, 3] };
    return { controlPlaneCount: 2, network: places, agentFlags: () => agentFlags };
  }
  const inRegion = (slot: number) => ['-multiregion', `-region=region-${slot}`, ...agentFlags];
  return {
    controlPlaneCount: 3,
    network: { namespaces, agents: three, controlPlanes: three },
    agentFlags: inRegion,
    controlPlaneFlags: (slot: number) => [...inRegion(slot), `-regionGroups=${regionGroups}`],
  } satisfies Partial<ClusterOptions>;
}

/** Runs one scenario and checks its history. */
export async function runScenario(
  scenario: Scenario,
  { seed, troubleMs: usualMs }: ScenarioOptions,
): Promise<Outcome> {
  const troubleMs = Math.max(usualMs, scenario.troubleMsMin ?? 0);
  const ground = await prepare(scenario);
  if (typeof ground === 'string') return { skipped: ground };
  const startMs = systemClock.monotonicMs();
  const { database, databaseUrl, namespaces, disk } = ground;
  const onDisk = (what: 'bucket' | 'journal') => (scenario.smallDisk === what ? disk?.folder : undefined);
  const cluster = new FaultCluster({
    seed,
    databaseUrl,
    bucketFolder: onDisk('bucket'),
    bucketCount: scenario.bucketCount,
    journalFolder: onDisk('journal'),
    agentCount: 3,
    ...placement(scenario, namespaces),
    hasPipelines: scenario.hasPipelines,
  });
  const recorder = new Recorder(systemClock);
  const workloads: Workload[] = [];
  let harms = 0;
  let problem: string | undefined;
  try {
    await cluster.start();
    if (scenario.configs !== undefined) await cluster.configure(scenario.configs);
    for (const start of scenario.workloads) workloads.push(await start({ cluster, recorder, troubleMs }));
    // A separate generator, so that the clients' random choices do not change the faults.
    const random = seededRandom(seed + 2);
    const endMs = systemClock.monotonicMs() + troubleMs;
    while (systemClock.monotonicMs() < endMs) {
      await cluster.pause(300 + random.below(900));
      if (random.next() < 0.2) for (const workload of workloads) workload.replace?.();
      await scenario.fault({ cluster, random, database, disk });
      harms++;
    }
    disk?.empty();
    await cluster.heal(recoveryMsMax);
    for (const workload of workloads) await workload.finish(recoveryMsMax);
    if (scenario.check !== undefined) {
      await scenario.check(cluster, recoveryMsMax);
      for (const workload of workloads) await workload.readAgain?.(recoveryMsMax);
    }
  } catch (error) {
    problem = (error as Error).message;
  } finally {
    for (const workload of workloads) workload.stop();
  }
  const report = cluster.report();
  await cluster.end();
  await ground.leave();
  return {
    verdict: checkHistory(recorder.events, problem === undefined),
    harms,
    ...(problem === undefined ? {} : { problem }),
    report,
    history: recorder.events,
    seconds: (systemClock.monotonicMs() - startMs) / 1_000,
  };
}
