import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { Kafka, logLevel } from 'kafkajs';
import { Command, startTestEnvironment, until } from './supervised-agents.ts';

const bounded = { timeout: 900_000 };
const kafkaLine = /Kafka +(\S+)\n/;

function clientOf(broker: string): Kafka {
  return new Kafka({
    clientId: 'lightning',
    brokers: [broker],
    logLevel: logLevel.NOTHING,
    retry: { initialRetryTime: 50, retries: 20 },
  });
}

/**
 * Waits until the killed agent is in no metadata. A consumer of this client that loses an agent while it disconnects
 * never ends and takes a whole core, which is also why it ends before the agents do.
 */
async function forgotten(kafka: Kafka): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  while ((await admin.describeCluster()).brokers.length > 1) {
    await new Promise<void>((resolve) => systemClock.after(100, resolve));
  }
  await admin.disconnect();
}

test(
  'what a killed agent acknowledged and had not committed is read through another agent, in order and once',
  bounded,
  async (t) => {
    const { agent, controlPlane } = await startTestEnvironment(t);
    const victim = new Command(t, agent);
    const [, victimKafka] = await victim.waitForOutput(kafkaLine);

    const kafka = clientOf(victimKafka!);
    const admin = kafka.admin();
    await admin.connect();
    const configEntries = [{ name: 'service.topic.type', value: 'lightning' }];
    await admin.createTopics({ topics: [{ topic: 'fast', numPartitions: 1, configEntries }] });
    await admin.disconnect();

    const refused = kafka.producer({ idempotent: true, maxInFlightRequests: 1, retry: { retries: 1 } });
    await refused.connect();
    await assert.rejects(refused.send({ topic: 'fast', messages: [{ value: 'x' }] }), { code: 42 });
    await refused.disconnect();

    const producer = kafka.producer({ maxInFlightRequests: 1 });
    await producer.connect();
    const written: string[] = [];
    const write = async (value: string) => {
      const [answer] = await producer.send({ topic: 'fast', acks: -1, messages: [{ value }] });
      written.push(value);
      return answer!.baseOffset;
    };
    // Until the agent has registered its sequence, records are acknowledged with their offsets.
    for (let n = 0; ; n++) {
      const offset = await write(`before ${n}`);
      if (n > 0 && offset === '0') break;
      assert.ok(n < 1_000, 'the agent registers no sequence');
    }

    controlPlane.signal('SIGSTOP');
    for (let n = 0; n < 5; n++) assert.equal(await write(`uncommitted ${n}`), '0');
    await producer.disconnect();
    victim.signal('SIGKILL');
    assert.equal(await victim.ended(), 'SIGKILL');
    controlPlane.signal('SIGCONT');

    const other = new Command(t, agent);
    const [, otherKafka] = await other.waitForOutput(kafkaLine);
    await forgotten(clientOf(otherKafka!));
    const consumer = clientOf(otherKafka!).consumer({ groupId: 'readers' });
    await consumer.connect();
    await consumer.subscribe({ topic: 'fast', fromBeginning: true });
    const read: string[] = [];
    await consumer.run({
      eachMessage: async ({ message }) => {
        read.push(String(message.value));
      },
    });
    try {
      await until('the last record', () => read.includes(written.at(-1)!) || undefined);
    } finally {
      await consumer.disconnect();
    }
    assert.deepEqual(read, written);
  },
);
