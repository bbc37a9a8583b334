import { type Clock, systemClock } from '@weir/core';
import { type Broker, cpuSecondsOf } from '../kafka/broker.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import type { ApacheLoad, ToolName } from '../kafka/load.ts';
import { threadSecondsOf } from '../kafka/process-stats.ts';
import type { RunLight } from './light-client.ts';
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
const outputCharsMax = 4000;

/** Starts the servers of the sides and warms up one after the other. */
export async function startSides(
  stage: Stage,
  wanted: readonly SideId[],
): Promise<{ readonly bench: Bench; readonly sides: ReadonlyMap<SideId, Side> }> {
  const { lifetime, load, runTool, runLight } = stage;
  const servers = new Map<ServerId, Broker>();
  for (const server of new Set(wanted.map(serverOf))) {
    servers.set(server, await startServer(lifetime, server, stage));
  }
  const bench: Bench = {
    load,
    runTool,
    runLight,
    brokers: [...servers.values()],
    writtenBytes: new Map(),
    lightRequests: new Map(),
  };
  const sides = new Map(
    wanted.map((id): [SideId, Side] => {
      const topicConfigs = id === 'kafka-flush' ? { 'flush.messages': '1' } : {};
      return [id, { id, broker: servers.get(serverOf(id))!, topicConfigs }];
    }),
  );
  for (const [server, broker] of servers) {
    await warmUp(stage, bench, { id: server, broker, topicConfigs: {} });
  }
  return { bench, sides };
}

async function warmUp(
  { load, sizes, print }: Stage,
  bench: Bench,
  side: Side,
  clock: Clock = systemClock,
): Promise<void> {
  const startMs = clock.monotonicMs();
  await load.createTopics(side.broker.servers, [warmUpTopic], 16);
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
  const state = isCompiling ? ', and its compiler is still at work' : '';
  print(
    `${sideNames[side.id]} is warm after ${(writtenBytes() / 1e9).toFixed(1)} GB in ${seconds().toFixed(0)} s${state}`,
  );
  await load.deleteTopics(side.broker.servers, [warmUpTopic]);
  await settle(bench.brokers);
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
