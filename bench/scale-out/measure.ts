import { type Clock, systemClock } from '@weir/core';
import { createTopic } from '../../tests/interop/brokers/topics.ts';
import { Skipped } from '../benchmark.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { recordBytes } from '../kafka/load.ts';
import { writeBatches } from '../kafka/node-load.ts';
import { statsOf } from '../kafka/process-stats.ts';
import { startSlowBucket } from '../kafka/slow-bucket.ts';
import { type AgentCommand, type ScaleCluster, withScaleCluster } from './cluster.ts';
import { fanOutLoad, leaderWarmUp, loadName, modelLoads, type NamedLoad } from './loads.ts';
import { Gauges, type Work } from './readings.ts';
import { noLoad, SyntheticAgents } from './synthetic-agents.ts';
import type { AgentLoad } from './synthetic-agents-process.ts';

/** Amounts of work. */
export interface ScaleSizes {
  /** Agent processes, one after the other added to the cluster. */
  readonly agentCounts: readonly number[];
  /** `-processes` of one command. */
  readonly processes: readonly string[];
  readonly warmUpMb: number;
  readonly fullSpeedMb: number;
  readonly steadyMb: number;
  readonly steadyMbPerSecond: number;
  readonly hasBucketServer: boolean;
  readonly hasFanOut: boolean;
  readonly loads: readonly NamedLoad[];
  readonly settleMs: number;
  readonly durationMs: number;
}

export const fullScale: ScaleSizes = {
  agentCounts: [1, 2, 3],
  processes: ['auto'],
  warmUpMb: 250,
  fullSpeedMb: 600,
  steadyMb: 150,
  steadyMbPerSecond: 30,
  hasBucketServer: true,
  hasFanOut: true,
  loads: modelLoads,
  settleMs: 1_200,
  durationMs: 4_000,
};

/** Clients load some agents. */
export interface ClientRun {
  readonly name: string;
  /** Agents that were there. */
  readonly agents: number;
  readonly megabytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly work: Work;
}

/** Synthetic agents load the control plane. */
interface LoadRun {
  readonly load: NamedLoad;
  readonly work: Work;
}

export interface ScaleRuns {
  readonly clients: readonly ClientRun[];
  readonly loads: readonly LoadRun[];
  /** CPU seconds of an agent for a pointer that another one committed; absent if it was not measured. */
  readonly agentPerPointer: number | undefined;
}

const partitionsPerAgent = 16;
const partitionsInRequest = 4;
const recordsInBatch = 64;
const producersPerAgent = 4;
/** Of the bucket server, as a store in the same building answers. */
const storeMs = 8;
/** Of a load during which the leader lost its lease, as it may on a busy machine. */
const attemptsMax = 3;

export async function measureScale(
  lifetime: Lifetime,
  sizes: ScaleSizes,
  print: (text: string) => void,
  clock: Clock = systemClock,
): Promise<ScaleRuns> {
  if (statsOf(process.pid) === undefined) throw new Skipped('there is no /proc to read CPU times from');
  const onStage = <Result>(work: (stage: Stage) => Promise<Result>) =>
    withScaleCluster(lifetime, async (cluster) => {
      const synthetic = await SyntheticAgents.start(lifetime, cluster);
      const gauges = new Gauges(cluster, synthetic, clock);
      try {
        return await work({ lifetime, cluster, synthetic, gauges, sizes, print, clock });
      } finally {
        // Commits after the end of the cluster would only fail.
        await synthetic.begin(noLoad);
        await gauges.close();
      }
    });
  const runs = await onStage(async (stage) => {
    const clients = await runClients(stage);
    const agentPerPointer = sizes.hasFanOut ? await fanOut(stage) : undefined;
    const loads: LoadRun[] = [];
    for (const load of sizes.loads) {
      print(`  ${loadName(load)} …`);
      loads.push({ load, work: await runLoad(stage, load, []) });
    }
    return { clients, loads, agentPerPointer };
  });
  if (!sizes.hasBucketServer) return runs;
  // A cluster has one bucket.
  const overBucket = await onStage(runOverBucket);
  return { ...runs, clients: [...runs.clients, overBucket] };
}

interface Stage {
  readonly lifetime: Lifetime;
  readonly cluster: ScaleCluster;
  readonly synthetic: SyntheticAgents;
  readonly gauges: Gauges;
  readonly sizes: ScaleSizes;
  print(text: string): void;
  readonly clock: Clock;
}

async function runClients(stage: Stage): Promise<ClientRun[]> {
  const { cluster, synthetic, sizes } = stage;
  // Counts pointers.
  await synthetic.begin({ ...noLoad, followers: 1 });
  const runs: ClientRun[] = [];
  const commands: AgentCommand[] = [];
  for (const count of sizes.agentCounts) {
    while (commands.length < count) commands.push(await cluster.startAgents([]));
    const name = `${count} agent${count === 1 ? '' : 's'}`;
    if (runs.length === 0) await loadAgents(stage, 'warm-up', commands, sizes.warmUpMb);
    runs.push(...(await bothSpeeds(stage, name, commands)));
  }
  await stopAll(commands);
  for (const processes of sizes.processes) {
    const command = await cluster.startAgents(['-processes', processes]);
    const count = command.addresses.length;
    runs.push(...(await bothSpeeds(stage, `-processes ${processes} (${count})`, [command])));
    await stopAll([command]);
  }
  return runs;
}

async function runOverBucket(stage: Stage): Promise<ClientRun> {
  const { lifetime, cluster, synthetic, sizes } = stage;
  await synthetic.begin({ ...noLoad, followers: 1 });
  const bucket = await startSlowBucket(lifetime, { kind: 'constant', ms: storeMs });
  const commands: AgentCommand[] = [];
  for (let count = 0; count < sizes.agentCounts.at(-1)!; count++) {
    commands.push(await cluster.startAgents([], bucket.url));
  }
  // The leader is new.
  await runLoad(stage, leaderWarmUp, []);
  await synthetic.begin({ ...noLoad, followers: 1 });
  await loadAgents(stage, 'warm-up', commands, sizes.warmUpMb);
  const name = `${commands.length} agents, S3 of ${storeMs} ms, ${sizes.steadyMbPerSecond} MB/s`;
  const run = await loadAgents(stage, name, commands, sizes.steadyMb, sizes.steadyMbPerSecond);
  await stopAll(commands);
  await bucket.stop();
  return run;
}

async function bothSpeeds(
  stage: Stage,
  name: string,
  commands: readonly AgentCommand[],
): Promise<ClientRun[]> {
  const { fullSpeedMb, steadyMb, steadyMbPerSecond } = stage.sizes;
  return [
    await loadAgents(stage, `${name}, full speed`, commands, fullSpeedMb),
    await loadAgents(stage, `${name}, ${steadyMbPerSecond} MB/s`, commands, steadyMb, steadyMbPerSecond),
  ];
}

async function stopAll(commands: readonly AgentCommand[]): Promise<void> {
  await Promise.all(commands.map(({ server }) => server.stop()));
}

let topics = 0;

/** Divides the load among the agents; each has a topic of its own, as if it led its partitions. */
async function loadAgents(
  { gauges, print, clock }: Stage,
  name: string,
  commands: readonly AgentCommand[],
  megabytes: number,
  megabytesPerSecond?: number,
): Promise<ClientRun> {
  print(`  ${name} …`);
  const addresses = commands.flatMap((command) => command.addresses);
  const records = Math.ceil((megabytes * 1e6) / recordBytes / addresses.length);
  const rate =
    megabytesPerSecond === undefined
      ? undefined
      : (megabytesPerSecond * 1e6) / recordBytes / addresses.length;
  const targets: { address: string; topic: string }[] = [];
  for (const address of addresses) {
    const topic = `scale-out-${++topics}`;
    await createTopic(address, topic, partitionsPerAgent);
    targets.push({ address, topic });
  }
  const write = (address: string, topic: string, count: number) =>
    writeBatches(clock, address, {
      topics: [topic],
      partitions: partitionsPerAgent,
      producers: producersPerAgent,
      records: count,
      recordsInBatch,
      partitionsInRequest,
      ...(rate === undefined ? {} : { rate }),
    });
  // Not counted: it opens the partitions.
  for (const { address, topic } of targets) await write(address, topic, recordsInBatch * partitionsPerAgent);
  let results: Awaited<ReturnType<typeof write>>[] = [];
  const work = await gauges.during(commands, async () => {
    results = await Promise.all(targets.map(({ address, topic }) => write(address, topic, records)));
  });
  return {
    name,
    agents: addresses.length,
    megabytes: results.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
    p50Ms: Math.max(...results.map(({ latency }) => latency.p50Ms)),
    p99Ms: Math.max(...results.map(({ latency }) => latency.p99Ms)),
    work,
  };
}

async function runLoad(
  { synthetic, gauges, sizes, print, clock }: Stage,
  load: AgentLoad,
  agents: readonly AgentCommand[],
): Promise<Work> {
  for (let attempt = 1; ; attempt++) {
    await synthetic.begin(load);
    await pause(clock, sizes.settleMs);
    const work = await gauges.during(agents, () => pause(clock, sizes.durationMs));
    if (work.counted.failures === 0 || attempt === attemptsMax) return work;
    print(`  the leader lost its lease, again: ${loadName(load)} …`);
  }
}

/** The CPU of idle agents while others commit, without what they take when nothing is committed. */
async function fanOut(stage: Stage): Promise<number | undefined> {
  const agents = [await stage.cluster.startAgents([]), await stage.cluster.startAgents([])];
  const quiet = await runLoad(stage, { ...noLoad, followers: 1 }, agents);
  // Pointers of synthetic files are counted by the synthetic agents.
  const busy = await runLoad(stage, fanOutLoad, agents);
  await stopAll(agents);
  const perSecond = ({ agents: cpu, seconds }: Work) => cpu.reduce((sum, one) => sum + one, 0) / seconds;
  const pointersPerSecond = (busy.pointers / busy.seconds) * agents.length;
  const cost = (perSecond(busy) - perSecond(quiet)) / pointersPerSecond;
  return cost > 0 ? cost : undefined;
}

function pause(clock: Clock, durationMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(durationMs, resolve));
}
