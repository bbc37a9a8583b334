import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { KiB, MiB, systemClock } from '@weir/core';
import { apis, buildRecordBatch, encodeRequest } from '@weir/wire';
import { TestClient } from '../../../packages/broker/testing/test-client.ts';
import { createTopic } from '../brokers/topics.ts';
import { lastFirst, startLocal, type WeirProcess } from '../brokers/weir-process.ts';

const clientCount = 10;
/** Batches that are inflated for HTTP count before they are many, and one more may be at work in each thread. */
const addedBytesMax = 512 * MiB;

/** Needs statistics of the Linux kernel. */
const skip = process.platform !== 'linux' && 'only Linux tells the memory of a process';

/** Records that are some kilobytes while they are stored, and those that are as large there. */
const kinds = [
  { name: 'compressed', codec: 'zstd', recordBytes: 30 * MiB, recordCount: 2, batchCount: 1 },
  { name: 'plain', codec: 'none', recordBytes: MiB - 500, recordCount: 1, batchCount: 50 },
] as const;

for (const { name, codec, recordBytes, recordCount, batchCount } of kinds) {
  test(`ten clients that never read large answers over HTTP: ${name}`, { skip }, async (t) => {
    const weir = await startLocal(lastFirst(t));
    await createTopic(weir.address('Kafka'), 'large', 1);
    const client = await TestClient.connect(Number(new URL(`tcp://${weir.address('Kafka')}`).port));
    t.after(() => client.socket.destroy());
    const record = { timestamp: 0n, key: null, value: Buffer.alloc(recordBytes, 7) };
    const records = buildRecordBatch(
      Array.from({ length: recordCount }, () => record),
      codec === 'none' ? {} : { codec },
    );
    for (let count = 0; count < batchCount; count++) await produce(client, records);
    const url = new URL(`${weir.address('HTTP')}`);
    const beforeBytes = residentBytes(weir);
    for (let count = 0; count < clientCount; count++) fetchWithoutReading(url, t);
    let peakBytes = beforeBytes;
    for (let count = 0; count < 50; count++) {
      await new Promise<void>((resolve) => void systemClock.after(100, resolve));
      peakBytes = Math.max(peakBytes, residentBytes(weir));
    }
    const addedBytes = peakBytes - beforeBytes;
    t.diagnostic(`${inMiB(beforeBytes)} before, ${inMiB(addedBytes)} more with ${clientCount} clients`);
    assert.ok(addedBytes < addedBytesMax, `${inMiB(addedBytes)} more; allowed ${inMiB(addedBytesMax)}`);
    const status = await fetch(new URL('/v1/status', url)).then((answer) => answer.status);
    assert.equal(status, 200, 'others are served');
  });
}

async function produce(client: TestClient, records: Buffer): Promise<void> {
  const body = {
    transactionalId: null,
    acks: -1,
    timeoutMs: 60_000,
    topicData: [{ name: 'large', partitionData: [{ index: 0, records }] }],
  };
  const header = { correlationId: 1, clientId: 'large' };
  client.socket.write(Buffer.concat(encodeRequest(apis.Produce, 9, header, body)));
  const answer = await client.receive('Produce', 9);
  assert.equal(answer.body.responses[0]!.partitionResponses[0]!.errorCode, 0);
}

/** Asks for all records, and leaves the answer where it is. */
function fetchWithoutReading({ hostname, port }: URL, t: TestContext): void {
  const partitions = [{ partition: 0, fetch_offset: 0, partition_max_bytes: 64 * MiB }];
  const body = JSON.stringify({ topics: [{ topic: 'large', partitions }], max_bytes: 64 * MiB });
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  socket.pause();
  socket.write(
    `POST /v1/kafka/fetch HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function residentBytes({ pid }: WeirProcess): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * KiB;
}

function inMiB(bytes: number): string {
  return `${Math.round(bytes / MiB)} MiB`;
}
