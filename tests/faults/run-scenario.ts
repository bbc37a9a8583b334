import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@weir/core';
import { type PostgresServer, startPostgres } from '../interop/postgres/server.ts';
import { pythonWith } from '../interop/python/venv.ts';
import { FaultCluster } from './cluster/cluster.ts';
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

interface Ground {
  readonly database: PostgresServer | undefined;
  readonly disk: SmallDisk | undefined;
  leave(): Promise<void>;
}

/** Prepares what the scenario needs of the machine, or returns the reason why it is not available. */
async function prepare({ database: kind, smallDisk, needsLibrdkafka }: Scenario): Promise<Ground | string> {
  const missing = needsLibrdkafka && pythonWith('confluent-kafka').missing;
  if (typeof missing === 'string') return missing;
  let database: PostgresServer | undefined;
  if (kind === 'postgres') {
    const found = await startPostgres();
    if ('missing' in found) return found.missing;
    database = found;
  }
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
    database,
    disk,
    async leave() {
      disk?.unmount();
      remove();
      await database?.stop();
    },
  };
}

/** Runs one scenario and checks its history. */
export async function runScenario(
  scenario: Scenario,
  { seed, troubleMs }: ScenarioOptions,
): Promise<Outcome> {
  const ground = await prepare(scenario);
  if (typeof ground === 'string') return { skipped: ground };
  const startMs = systemClock.monotonicMs();
  const { database, disk } = ground;
  const onDisk = (what: 'bucket' | 'journal') => (scenario.smallDisk === what ? disk?.folder : undefined);
  const cluster = new FaultCluster({
    seed,
    databaseUrl: database?.url,
    bucketFolder: onDisk('bucket'),
    bucketCount: scenario.bucketCount,
    journalFolder: onDisk('journal'),
    controlPlaneCount: 2,
    agentCount: 3,
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
