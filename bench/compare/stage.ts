import { type Clock, systemClock } from '@weir/core';
import type { Broker } from '../kafka/broker.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import { type ApacheLoad, recordBytes, type ToolName } from '../kafka/load.ts';
import { type Bench, runProducer } from './measure.ts';
import { type Sizes, steadySettings } from './rows.ts';
import { type SideId, sideNames } from './side-names.ts';
import { type ServerId, type Side, serverOf, settle, startServer } from './sides.ts';

/** What is needed to start servers and to load them. */
export interface Stage {
  readonly lifetime: Lifetime;
  readonly classPath: string;
  readonly load: ApacheLoad;
  runTool(name: ToolName, args: readonly string[]): Promise<string>;
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
  const { lifetime, classPath, load, runTool } = stage;
  const servers = new Map<ServerId, Broker>();
  for (const server of new Set(wanted.map(serverOf))) {
    servers.set(server, await startServer(lifetime, server, classPath));
  }
  const bench: Bench = { load, runTool, brokers: [...servers.values()], writtenBytes: new Map() };
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
  while (writtenBytes() < sizes.warmUpBytes) {
    if (seconds() > sizes.warmUpSecondsMax) {
      throw new Error(
        `${sideNames[side.id]} took only ${(writtenBytes() / 1e9).toFixed(1)} GB in ${seconds().toFixed(0)} s; ` +
          'measure on a machine with less other work',
      );
    }
    const records = Math.min(
      warmUpStepRecords,
      Math.ceil((sizes.warmUpBytes - writtenBytes()) / recordBytes),
    );
    await blaming(side, () =>
      runProducer(bench, side, { topic: warmUpTopic, records, settings: steadySettings }),
    );
  }
  print(
    `${sideNames[side.id]} is warm after ${(writtenBytes() / 1e9).toFixed(1)} GB in ${seconds().toFixed(0)} s`,
  );
  await load.deleteTopics(side.broker.servers, [warmUpTopic]);
  await settle(bench.brokers);
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
