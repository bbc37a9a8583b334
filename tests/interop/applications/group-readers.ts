import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Consumer, stringDeserializers } from '@platformatic/kafka';
import { Kafka, logLevel } from 'kafkajs';
import type { KcatRecord } from '../brokers/kcat.ts';
import type { Lifetime } from '../brokers/weir-process.ts';
import type { Applications } from './application.ts';
import { Member, pause } from './members.ts';

/** A consumer of somebody's that is in a group, commits what it reads, and goes on until it is stopped. */
interface GroupReader {
  /** The values that it read, in the order in which it read them. */
  values(): Promise<readonly string[]>;
  /** Commits and leaves. */
  stop(): Promise<void>;
}

export type StartReader = (
  lifetime: Lifetime,
  broker: string,
  group: string,
  topic: string,
) => Promise<GroupReader>;

/** kcat's balanced consumer, which commits when it is told to end. */
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
    // One that is closed in the middle of a rebalance goes on with it for a moment, and finds its connections gone.
    consumer.on('error', (error: Error) => {
      if (!isStopping) throw error;
    });
    const stream = await consumer.consume({
      topics: [topic],
      mode: 'committed',
      fallbackMode: 'earliest',
      // A stream that closes forgets what it was to commit by itself, if it is in the middle of committing something else.
      autocommit: false,
    });
    stream.on('error', (error) => {
      if (!isStopping) throw error;
    });
    stream.on('data', (message) => {
      values.push(message.value);
      // What a rebalance keeps from being committed is read again by whoever has the partition then.
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

/** Apache's consumer as a reader beside those of others. */
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

/** Waits until the readers have together read every one of these values. */
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
