import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Consumer, stringDeserializers } from '@platformatic/kafka';
import { Kafka, logLevel } from 'kafkajs';
import type { KcatRecord } from '../brokers/kcat.ts';
import type { Lifetime } from '../brokers/weir-process.ts';
import type { Applications } from './application.ts';
import { Member, pause } from './members.ts';

/** A third-party consumer in a group that commits what it reads, and runs until stopped. */
interface GroupReader {
  /** The values read, in order. */
  values(): Promise<readonly string[]>;
  /** Commits and leaves the group. */
  stop(): Promise<void>;
}

export type StartReader = (
  lifetime: Lifetime,
  broker: string,
  group: string,
  topic: string,
) => Promise<GroupReader>;

/** kcat's balanced consumer, which commits on SIGTERM. */
export const startKcatReader: StartReader = async (lifetime, broker, group, topic) => {
  const settings = ['auto.offset.reset=earliest', 'heartbeat.interval.ms=300'];
  const child = spawn(
    'kcat',
    ['-b', broker, '-q', '-J', '-u', ...settings.flatMap((one) => ['-X', one]), '-G', group, topic],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const ended = once(child, 'close');
  const values: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { payload } = JSON.parse(line) as KcatRecord;
    values.push(payload!);
  });
  lifetime.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    values: async () => values,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
};

export const startKafkajsReader: StartReader = async (lifetime, broker, group, topic) => {
  const kafka = new Kafka({ clientId: 'judge', brokers: [broker], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: group, heartbeatInterval: 300, maxWaitTimeInMs: 300 });
  const values: string[] = [];
  await consumer.connect();
  lifetime.after(() => consumer.disconnect());
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      values.push(String(message.value));
    },
  });
  return { values: async () => values, stop: () => consumer.disconnect() };
};

const startPlatformaticReaderOf =
  (groupProtocol: 'classic' | 'consumer'): StartReader =>
  async (lifetime, broker, group, topic) => {
    const consumer = new Consumer({
      clientId: 'judge',
      bootstrapBrokers: [broker],
      groupId: group,
      deserializers: stringDeserializers,
      retries: 5,
      ...(groupProtocol === 'classic' ? { groupProtocol, heartbeatInterval: 300 } : { groupProtocol }),
    });
    const values: string[] = [];
    const commits: Promise<void>[] = [];
    let isStopping = false;
    lifetime.after(() => consumer.close(true));
    // A consumer that is closed during a rebalance continues it briefly and finds its connections closed.
    consumer.on('error', (error: Error) => {
      if (!isStopping) throw error;
    });
    const stream = await consumer.consume({
      topics: [topic],
      mode: 'committed',
      fallbackMode: 'earliest',
      // A closing stream drops its pending automatic commit if another commit is in progress.
      autocommit: false,
    });
    stream.on('error', (error) => {
      if (!isStopping) throw error;
    });
    stream.on('data', (message) => {
      values.push(message.value);
      // Records whose commit fails because of a rebalance are read again by the new owner of the partition.
      commits.push(Promise.resolve(message.commit()).catch(() => undefined));
    });
    return {
      values: async () => values,
      async stop() {
        isStopping = true;
        await Promise.all(commits);
        await stream.close();
        await consumer.close();
      },
    };
  };

export const startPlatformaticReader = startPlatformaticReaderOf('classic');
export const startNewPlatformaticReader = startPlatformaticReaderOf('consumer');

/** Wraps Apache's consumer as a group reader. */
export function javaReaderOf(java: Applications): StartReader {
  let count = 0;
  return async (_lifetime, broker, group, topic) => {
    const member = await Member.join(java, `reader-${group}-${count++}`, { servers: broker, group, topic });
    return {
      values: async () => (await member.state()).read.map(([, , , value]) => value),
      stop: async () => void (await member.stop()),
    };
  };
}

/** Waits until the readers together have read all of these values. */
export async function untilReadAll(
  readers: readonly GroupReader[],
  values: readonly string[],
): Promise<void> {
  for (;;) {
    const read = new Set((await Promise.all(readers.map((reader) => reader.values()))).flat());
    if (values.every((value) => read.has(value))) return;
    await pause();
  }
}
