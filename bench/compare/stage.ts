import { type Clock, systemClock } from '@weir/core';
import { type Broker, cpuSecondsOf } from '../kafka/broker.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import type { ApacheLoad, ToolName } from '../kafka/load.ts';
import { threadSecondsOf } from '../kafka/process-stats.ts';
import { missingGo, type RunLight } from './light-client.ts';
import { warmUpLight } from './light-load.ts';
import type { Sizes } from './load-row.ts';
import { type Bench, runProducer } from './measure.ts';
import { steadySettings } from './rows.ts';
import { type SideId, sideNames } from './side-names.ts';
import { type Programs, type ServerId, type Side, serverOf, settle, startServer } from './sides.ts';
import { threadGroupOf } from './threads.ts';

/** What is needed to start servers and to load them. */
export interface Stage extends Programs {
  readonly lifetime: Lifetime;
  readonly load: ApacheLoad;
  runTool(name: ToolName, args: readonly string[]): Promise<string>;
  readonly runLight: RunLight;
  readonly sizes: Sizes;
  print(text: string): void;
}

/** Records of one call of the tool while a server warms up. */
const warmUpStepRecords = 200_000;
const warmUpTopic = 'warm-up';
const warmUpPartitions = 16;
const outputCharsMax = 4000;

/** What runs against these servers have in common. */
export function newBench(
  { load, runTool, runLight, sizes }: Pick<Stage, 'load' | 'runTool' | 'runLight' | 'sizes'>,
  brokers: readonly Broker[],
): Bench {
  return {
    load,
    runTool,
    runLight,
    settle: () => settle(brokers, sizes.settleSecondsMax),
    writtenBytes: new Map(),
    lightRequests: new Map(),
  };
}

/** The servers that rows share: they are warm, and stay up for all rows. */
export class SharedServers {
  readonly bench: Bench;
  /** Without the sides whose server could not be started. */
  readonly sides: ReadonlyMap<SideId, Side>;
  /** Why a side is not there. */
  readonly problems: ReadonlyMap<SideId, string>;
  readonly #stage: Stage;
  readonly #wanted: readonly SideId[];
  readonly #brokers: Broker[] = [];
  readonly #sides = new Map<SideId, Side>();
  readonly #problems = new Map<SideId, string>();

  private constructor(stage: Stage, wanted: readonly SideId[]) {
    this.#stage = stage;
    this.#wanted = wanted;
    this.sides = this.#sides;
    this.problems = this.#problems;
    this.bench = newBench(stage, this.#brokers);
  }

  /** Starts all servers, and then warms up one after the other. */
  static async start(stage: Stage, wanted: readonly SideId[]): Promise<SharedServers> {
    const shared = new SharedServers(stage, wanted);
    const servers = [...new Set(wanted.map(serverOf))];
    for (const server of servers) await shared.#start(server);
    for (const server of servers) await shared.#warmUp(server);
    return shared;
  }

  /** A server that has ended starts again, over an empty folder, so that it misses the row in which it failed only. */
  async restartEnded(): Promise<void> {
    for (const server of new Set(this.#wanted.map(serverOf))) {
      const broker = this.#sides.get(server)?.broker;
      // One that could not be started or warmed up is not tried again.
      if (broker === undefined || broker.processes.every(({ isRunning }) => isRunning)) continue;
      this.#stage.print(`${sideNames[server]} has ended; it starts again`);
      this.#brokers.splice(this.#brokers.indexOf(broker), 1);
      await this.#start(server);
      await this.#warmUp(server);
    }
  }

  async stop(): Promise<void> {
    for (const broker of this.#brokers) await broker.stop();
  }

  async #start(server: ServerId): Promise<void> {
    try {
      const broker = await startServer(this.#stage.lifetime, server, this.#stage);
      this.#brokers.push(broker);
      for (const id of this.#sidesOf(server)) {
        const topicConfigs = id === 'kafka-flush' ? { 'flush.messages': '1' } : {};
        this.#sides.set(id, { id, broker, topicConfigs });
        this.#problems.delete(id);
      }
    } catch (error) {
      this.#drop(server, error);
    }
  }

  async #warmUp(server: ServerId): Promise<void> {
    const side = this.#sidesOf(server)
      .map((id) => this.#sides.get(id))
      .find((found) => found !== undefined);
    if (side === undefined) return;
    try {
      await warmUp(this.#stage, this.bench, { ...side, id: server, topicConfigs: {} });
    } catch (error) {
      await side.broker.stop();
      this.#brokers.splice(this.#brokers.indexOf(side.broker), 1);
      this.#drop(server, error);
    }
  }

  #drop(server: ServerId, error: unknown): void {
    this.#stage.print(`bench:kafka: ${sideNames[server]} takes no part: ${error}`);
    for (const id of this.#sidesOf(server)) {
      this.#sides.delete(id);
      this.#problems.set(id, error instanceof Error ? error.message : String(error));
    }
  }

  #sidesOf(server: ServerId): readonly SideId[] {
    return this.#wanted.filter((id) => serverOf(id) === server);
  }
}

async function warmUp(
  { load, sizes, print }: Stage,
  bench: Bench,
  side: Side,
  clock: Clock = systemClock,
): Promise<void> {
  const startMs = clock.monotonicMs();
  await load.createTopics(side.broker.servers, [warmUpTopic], warmUpPartitions);
  const writtenBytes = () => bench.writtenBytes.get(side.broker) ?? 0;
  const seconds = () => (clock.monotonicMs() - startMs) / 1000;
  let isCompiling = true;
  while (writtenBytes() < sizes.warmUpBytes || (isCompiling && writtenBytes() < sizes.warmUpBytesMax)) {
    if (seconds() > sizes.warmUpSecondsMax) {
      throw new Error(
        `${sideNames[side.id]} took only ${(writtenBytes() / 1e9).toFixed(1)} GB in ${seconds().toFixed(0)} s; ` +
          'measure on a machine with less other work',
      );
    }
    const run = { topic: warmUpTopic, records: warmUpStepRecords, settings: steadySettings };
    isCompiling = await compilesDuring(side.broker, () => blaming(side, () => runProducer(bench, side, run)));
  }
  if (!missingGo()) await blaming(side, () => warmUpLight(bench, side, warmUpTopic, warmUpPartitions));
  const state = isCompiling ? ', and its compiler is still at work' : '';
  print(
    `${sideNames[side.id]} is warm after ${(writtenBytes() / 1e9).toFixed(1)} GB and ` +
      `${bench.lightRequests.get(side.broker) ?? 0} requests of the light client in ${seconds().toFixed(0)} s${state}`,
  );
  await load.deleteTopics(side.broker.servers, [warmUpTopic]);
  await bench.settle();
}

/** A server compiles as long as its compiler threads take more than this part of its CPU. */
const compilerShareMax = 0.1;

/** Whether a server was still compiling during the work. Only the JVM has threads that say so. */
export async function compilesDuring(broker: Broker, work: () => Promise<unknown>): Promise<boolean> {
  const before = compilerSeconds(broker);
  const cpuBefore = cpuSecondsOf(broker) ?? 0;
  await work();
  const cpuSeconds = (cpuSecondsOf(broker) ?? 0) - cpuBefore;
  return compilerSeconds(broker) - before > compilerShareMax * cpuSeconds;
}

function compilerSeconds({ processes }: Broker): number {
  let sum = 0;
  for (const { pid } of processes) {
    for (const [name, seconds] of threadSecondsOf(pid)) {
      if (threadGroupOf(name) === 'compiler') sum += seconds;
    }
  }
  return sum;
}

/** Adds the name and the last output of the server to an error. */
export async function blaming<Result>({ id, broker }: Side, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const output = broker.processes.map(({ text }) => text.slice(-outputCharsMax)).join('\n');
    throw new Error(`${sideNames[id]}: ${(error as Error).message}; it said:\n${output}`, { cause: error });
  }
}
