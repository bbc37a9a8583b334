import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import { formatBytes, GiB, KiB, MiB, systemClock } from '@weir/core';
import { apis, buildRecordBatch, encodeRequest } from '@weir/wire';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst, startPlayground, temporaryFolder, type WeirProcess } from '../brokers/weir-process.ts';

/**
 * Malicious or broken clients against a whole process with default limits. Asserts its peak memory, and that it still
 * serves afterwards.
 *
 * `--gib 10` sends that much instead of half a gibibyte.
 */
const sentBytes = (option('--gib') ?? 0.5) * GiB;

/** Memory of an idle process, with room for a delayed garbage collection. */
const baseBytes = 512 * MiB;
/** Requests, responses, pages and data waiting for upload, each with its limit per CPU. */
const bytesPerCpu = 768 * MiB;
const residentBytesMax = baseBytes + bytesPerCpu * availableParallelism();

const topic = 'flood';
const partitionCount = 4;

function option(name: string): number | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
}

interface Scene {
  readonly name: string;
  /** Runs the clients against a process that holds the data of the scenes before. */
  play(port: number, t: TestContext): Promise<void>;
}

const scenes: readonly Scene[] = [
  {
    name: `a few clients send ${formatBytes(sentBytes)} as fast as they can`,
    play: (port) => flood(port, { connections: 4, bytes: sentBytes, acks: -1 }),
  },
  {
    name: 'a few clients send half as much and want no answers',
    play: (port) => flood(port, { connections: 4, bytes: sentBytes / 2, acks: 0 }),
  },
  {
    name: 'many clients fetch and read no answer',
    async play(port, t) {
      const clients = await Promise.all(Array.from({ length: 300 }, () => connected(port, t)));
      for (const [index, client] of clients.entries()) {
        client.pause();
        for (let count = 0; count < 20; count++) {
          // Each fetches different pages, so that they cannot share them.
          const fetchOffset = BigInt((index * 20 + count) % Math.floor(sentBytes / MiB / partitionCount));
          client.write(fetchFrame(index % partitionCount, fetchOffset));
        }
      }
      await pause(5_000);
    },
  },
  {
    name: 'thousands of clients send half a frame',
    async play(port, t) {
      const half = Buffer.alloc(256 * KiB, 1);
      half.writeInt32BE(512 * KiB, 0);
      half.writeInt16BE(apis.Produce.key, 4);
      half.writeInt16BE(9, 6);
      for (let count = 0; count < 3_000; count += 100) {
        const some = await Promise.all(Array.from({ length: 100 }, () => connected(port, t)));
        for (const client of some) client.write(half);
      }
      await pause(3_000);
    },
  },
  {
    name: 'clients send large frames a few bytes at a time',
    async play(port, t) {
      const clients = await Promise.all(Array.from({ length: 500 }, () => connected(port, t)));
      const head = Buffer.alloc(8);
      head.writeInt32BE(300 * MiB, 0);
      head.writeInt16BE(apis.Produce.key, 4);
      head.writeInt16BE(9, 6);
      for (const client of clients) client.write(head);
      for (let count = 0; count < 100; count++) {
        for (const client of clients) client.write(Buffer.of(count));
        await pause(20);
      }
    },
  },
];

/** Needs statistics of the Linux kernel. */
const skip = process.platform !== 'linux' && 'only Linux tells the peak of the memory of a process';

test('memory has a limit, whatever clients do', { skip, timeout: 1_800_000 }, async (t) => {
  const lifetime = lastFirst(t);
  const weir = await startPlayground(lifetime, temporaryFolder(lifetime));
  const port = Number(new URL(`tcp://${weir.address('Kafka')}`).port);
  await createTopic(weir.address('Kafka'), topic, partitionCount);
  for (const { name, play } of scenes) {
    await t.test(name, async (t) => {
      await play(port, t);
      const peakBytes = peakResidentBytes(weir);
      t.diagnostic(`at most ${formatMiB(peakBytes)} of ${formatMiB(residentBytesMax)}`);
      assert.ok(
        peakBytes < residentBytesMax,
        `${formatMiB(peakBytes)}; allowed ${formatMiB(residentBytesMax)}`,
      );
    });
    await serves(port);
  }
  assert.doesNotMatch(weir.output.err, /"level":"error"/, 'none of it is our mistake');
});

/** Sends complete Produce requests until the given number of bytes is sent, and waits for every answer. */
async function flood(
  port: number,
  {
    connections,
    bytes,
    acks,
  }: { readonly connections: number; readonly bytes: number; readonly acks: number },
): Promise<void> {
  let leftBytes = bytes;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const client = await TestClient.connect(port);
      const frame = produceFrame(index % partitionCount, acks);
      let unanswered = 0;
      let refused = 0;
      const answers = async () => {
        for (; unanswered > 0; unanswered--) {
          const { body } = await client.receive('Produce', 9);
          const { errorCode } = body.responses[0]!.partitionResponses[0]!;
          // Refusals are expected: the agent applies back-pressure when the store cannot keep up, and clients have to
          // retry.
          if (errorCode !== 0) refused++;
        }
      };
      while (leftBytes > 0 && !client.socket.destroyed) {
        leftBytes -= frame.length;
        if (acks !== 0) unanswered++;
        if (!client.socket.write(frame)) {
          await Promise.race([new Promise((resolve) => client.socket.once('drain', resolve)), client.closed]);
        }
        // Responses are read as they arrive, so that only the requests are too fast.
        if (unanswered >= 64) await answers();
      }
      await answers();
      assert.ok(refused < bytes / frame.length, 'something was written');
      client.socket.end();
      await client.closed;
    }),
  );
}

function produceFrame(partition: number, acks: number): Buffer {
  const records = buildRecordBatch([{ timestamp: 0n, key: null, value: Buffer.alloc(MiB - 500, 7) }], {});
  const body = {
    transactionalId: null,
    acks,
    timeoutMs: 60_000,
    topicData: [{ name: topic, partitionData: [{ index: partition, records }] }],
  };
  return Buffer.concat(encodeRequest(apis.Produce, 9, { correlationId: 1, clientId: 'flood' }, body));
}

function fetchFrame(partition: number, fetchOffset: bigint): Buffer {
  const partitions = [{ partition, fetchOffset, partitionMaxBytes: 64 * MiB }];
  const body = {
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 64 * MiB,
    sessionEpoch: -1,
    topics: [{ topic, partitions }],
    forgottenTopicsData: [],
  };
  return Buffer.concat(encodeRequest(apis.Fetch, 11, { correlationId: 1, clientId: 'flood' }, body));
}

async function connected(port: number, t: TestContext): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  return socket;
}

/** Checks that a well-behaved client is served once the others are gone. */
async function serves(port: number): Promise<void> {
  const client = await TestClient.connect(port);
  const answer = await client.call('Metadata', 9, { topics: [{ name: topic }] });
  assert.equal(answer.topics[0]?.errorCode, 0);
  client.socket.destroy();
}

/** Returns the peak resident memory of the process, from the kernel. */
function peakResidentBytes({ pid }: WeirProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * KiB;
}

function formatMiB(bytes: number): string {
  return `${Math.round(bytes / MiB)} MiB`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    systemClock.after(ms, resolve);
  });
}
