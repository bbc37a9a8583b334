import { systemClock } from '@weir/core';
import { Kafka, logLevel } from 'kafkajs';
import { openJavaClient } from './java-client.ts';
import type { Lifetime } from './weir-process.ts';

/** An acknowledged record. */
export interface Acknowledged {
  readonly value: string;
  readonly partition: number;
  readonly offset: number;
}

/** A third-party idempotent producer that keeps writing unique values, whatever happens to the brokers. */
export interface SteadyWriter {
  /** Waits for this many further acknowledgements. */
  untilMore(count: number): Promise<void>;
  /** Stops writing, waits for every answer, and returns the acknowledged and the failed records. */
  finish(): Promise<{ readonly acknowledged: readonly Acknowledged[]; readonly failed: readonly string[] }>;
}

type StartWriter = (
  lifetime: Lifetime,
  servers: readonly string[],
  topic: string,
  partitionCount: number,
) => Promise<SteadyWriter>;

const pollMs = 50;

async function untilMore(count: number, acknowledgedCount: () => number | Promise<number>): Promise<void> {
  const goal = (await acknowledgedCount()) + count;
  while ((await acknowledgedCount()) < goal) {
    await new Promise<void>((resolve) => systemClock.after(pollMs, resolve));
  }
}

export const startJavaWriter: StartWriter = async (lifetime, servers, topic, partitionCount) => {
  const java = openJavaClient(lifetime);
  const bootstrap = servers.join(',');
  await java.ask('start', bootstrap, topic, partitionCount);
  const progress = async () =>
    (await java.ask<{ readonly acknowledged: number }>('progress', bootstrap)).acknowledged;
  return {
    untilMore: (count) => untilMore(count, progress),
    async finish() {
      const { acknowledged, failed } = await java.ask<{
        readonly acknowledged: readonly (readonly [string, number, string])[];
        readonly failed: readonly string[];
      }>('finish', bootstrap);
      return {
        acknowledged: acknowledged.map(([value, partition, offset]) => ({
          value,
          partition,
          offset: Number(offset),
        })),
        failed,
      };
    },
  };
};

export const startKafkajsWriter: StartWriter = async (lifetime, servers, topic, partitionCount) => {
  const kafka = new Kafka({
    clientId: 'judge',
    brokers: [...servers],
    logLevel: logLevel.NOTHING,
    requestTimeout: 10_000,
    retry: { maxRetryTime: 1_000 },
  });
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
  });
  await producer.connect();
  const acknowledged: Acknowledged[] = [];
  let isFinishing = false;
  let hasEnded = false;

  /** One request in flight per partition, because kafkajs does not guarantee the order of more. */
  async function write(partition: number): Promise<void> {
    for (let batch = 0; !isFinishing; batch++) {
      const values = [0, 1, 2, 3, 4].map((index) => `${partition}-${batch * 5 + index}`);
      const baseOffset = await sendUntilAnswered(partition, values);
      for (const [index, value] of values.entries()) {
        acknowledged.push({ value, partition, offset: baseOffset + index });
      }
    }
  }

  /**
   * kafkajs gives up soon when an agent is down, and rolls back the sequence numbers of unsent batches. Sending the
   * same records again therefore repeats the same batch, whatever the outcome of the first attempt.
   */
  async function sendUntilAnswered(partition: number, values: readonly string[]): Promise<number> {
    const messages = values.map((value) => ({ value, partition }));
    while (!hasEnded) {
      const answer = await producer.send({ topic, messages }).catch(() => undefined);
      if (answer !== undefined) return Number(answer[0]!.baseOffset);
    }
    throw new Error('the test has ended');
  }

  const writing = Promise.all(Array.from({ length: partitionCount }, (_, partition) => write(partition)));
  // A failed test does not await the writer, so its rejection must not be unhandled.
  writing.catch(() => {});
  lifetime.after(async () => {
    isFinishing = true;
    hasEnded = true;
    await producer.disconnect();
  });
  return {
    untilMore: (count) => untilMore(count, () => acknowledged.length),
    async finish() {
      isFinishing = true;
      await writing;
      return { acknowledged, failed: [] };
    },
  };
};
