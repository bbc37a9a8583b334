import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Clock, MiB, systemClock } from '@weir/core';
import { startApache } from '../kafka/apache.ts';
import type { Broker } from '../kafka/broker.ts';
import { cpuSecondsOf } from '../kafka/broker.ts';
import type { Lifetime } from '../kafka/lifetime.ts';
import type { BucketCounts } from '../kafka/slow-bucket.ts';
import { startTansu } from '../kafka/tansu.ts';
import { startLocal, startPlayground } from '../kafka/weir.ts';
import type { SideId } from './side-names.ts';

/** A contender: a server, and the topics it is measured with. */
export interface Side {
  readonly id: SideId;
  readonly broker: Broker;
  readonly topicConfigs: Readonly<Record<string, string>>;
  /** The cores that the light client runs on, as `taskset -c` takes them; all of them if absent. */
  readonly clientCores?: string | undefined;
  /** Reads how many requests the bucket of the side has got, where it has one. */
  bucketCounts?(): Promise<BucketCounts>;
}

/** Servers by name; they stay up for all rows. */
export type ServerId = 'kafka' | 'playground' | 'local' | 'tansu';

/** Lets a signal open the inspector on a free port; until then nothing listens. */
const inspectable = '--inspect-port=127.0.0.1:0';

const servers: Readonly<Partial<Record<SideId, ServerId>>> = {
  kafka: 'kafka',
  'kafka-flush': 'kafka',
  playground: 'playground',
  local: 'local',
  tansu: 'tansu',
};

/** The server of a side of a row whose servers all rows share. */
export function serverOf(side: SideId): ServerId {
  const server = servers[side];
  if (server === undefined) throw new Error(`${side} has a server of its own`);
  return server;
}

export interface Programs {
  /** Apache's jars. */
  readonly classPath: string;
  /** The program tansu, where it takes part. */
  readonly tansu?: string | undefined;
}

export function startServer(lifetime: Lifetime, server: ServerId, programs: Programs): Promise<Broker> {
  const { classPath, tansu = 'tansu' } = programs;
  const options = { profileFolder: undefined, nodeOptions: inspectable };
  const starts: Readonly<Record<ServerId, () => Promise<Broker>>> = {
    kafka: () => startApache(lifetime, classPath),
    playground: () => startPlayground(lifetime, options),
    local: () => startLocal(lifetime, options),
    tansu: () => startTansu(lifetime, tansu),
  };
  return starts[server]();
}

/** A server is idle when it uses less of a core than this. */
const idleCores = 0.06;
const pollMs = 500;

/**
 * Waits until what was written is on disk and the servers are idle, so that a run neither pays for the run before nor
 * leaves its own work to the next.
 */
export async function settle(
  brokers: readonly Broker[],
  secondsMax: number,
  clock: Clock = systemClock,
): Promise<void> {
  await promisify(execFile)('sync');
  const endMs = clock.monotonicMs() + secondsMax * 1000;
  while (clock.monotonicMs() < endMs) {
    const before = brokers.map((broker) => cpuSecondsOf(broker) ?? 0);
    await new Promise<void>((resolve) => clock.after(pollMs, resolve));
    const limit = (idleCores * pollMs) / 1000;
    if (brokers.every((broker, index) => (cpuSecondsOf(broker) ?? 0) - before[index]! <= limit)) return;
  }
}

export function residentMibOf({ processes }: Broker): number | undefined {
  const sizes = processes.map(({ results }) => results?.residentBytes);
  return sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + size!, 0) / MiB;
}
