import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable, type FileCommit, filesToSend } from '@weir/cluster';
import { type Clock, type Random, seededRandom } from '@weir/core';
import { settle } from '@weir/core/testing';
import { batchRecords, recordBatches } from '@weir/wire';
import { batchOf, DataPath, produced } from '../../testing/data-path.ts';
import { commitsThrough } from '../../testing/write-path-stage.ts';
import type { AppendResult } from './produced-batch.ts';

/**
 * Producers with several requests in flight, over a slow and failing store, whose uploads are hedged for every other
 * seed, and a control plane whose answers get lost. For every seed: acknowledged records exist exactly once, at the
 * acknowledged offset, in their producer's order and with a correct checksum; no record exists that was not sent; and
 * no commit carries a request that was answered before.
 *
 * As soon as a request is answered, the test overwrites its bytes, as a listener that reuses its buffers would.
 */
const seeds = 40;
const partitions = 3;
const inflightMax = 5;
const wave = 8;

interface Sent {
  readonly partition: number;
  readonly sequence: number;
  readonly values: readonly string[];
  offset: number;
}

/** Requests by a number that their batches carry as the timestamp into the commit. */
class Attempts {
  readonly #answered = new Set<number>();
  readonly #sent = new Set<string>();
  #count = 0;
  /** Requests that no commit has carried. */
  readonly unsent = new Set<number>();

  begin(): number {
    this.unsent.add(++this.#count);
    return this.#count;
  }

  end(attempt: number): void {
    this.#answered.add(attempt);
  }

  /** A repeated commit is unchanged, although requests may have been answered since. */
  sent({ fileId, maxTimestampMs }: FileCommit): void {
    for (const attempt of maxTimestampMs) {
      this.unsent.delete(attempt);
      if (this.#sent.has(fileId)) continue;
      assert.ok(!this.#answered.has(attempt), 'a request was answered before its commit was sent');
    }
    this.#sent.add(fileId);
  }
}

class Producer {
  readonly acknowledged: Sent[] = [];
  readonly #path: DataPath;
  readonly #topicId: string;
  readonly #random: Random;
  readonly #producerId: number;
  readonly #attempts: Attempts;
  readonly #connection = new AbortController().signal;
  readonly #sequences = new Array<number>(partitions).fill(0);
  #unacknowledged: Sent[][] = [];
  #inflight = 0;
  #mustRetry = false;
  #left = wave;

  constructor(path: DataPath, topicId: string, random: Random, attempts: Attempts, producerId: number) {
    this.#path = path;
    this.#attempts = attempts;
    this.#topicId = topicId;
    this.#random = random;
    this.#producerId = producerId;
  }

  get isDone(): boolean {
    return this.#left === 0 && this.#unacknowledged.length === 0;
  }

  /**
   * Sends what it may. After an error it waits for all answers and then retries everything that is not acknowledged.
   */
  step(): void {
    if (this.#mustRetry) {
      if (this.#inflight > 0) return;
      this.#mustRetry = false;
      const again = this.#unacknowledged;
      this.#unacknowledged = [];
      for (const request of again) this.#send(request);
      return;
    }
    while (this.#left > 0 && this.#inflight < inflightMax && this.#random.next() < 0.7) {
      this.#left--;
      this.#send(this.#newRequest());
    }
  }

  #newRequest(): Sent[] {
    const request: Sent[] = [];
    for (let partition = 0; partition < partitions; partition++) {
      if (this.#random.next() < 0.4 && !(partition === 2 && request.length === 0)) continue;
      const sequence = this.#sequences[partition]!;
      const count = 1 + this.#random.below(4);
      const values = Array.from({ length: count }, (_, index) => {
        return `${this.#producerId}:${partition}:${sequence + index}:${'x'.repeat(this.#random.below(200))}`;
      });
      this.#sequences[partition] = sequence + count;
      request.push({ partition, sequence, values, offset: -1 });
    }
    return request;
  }

  #send(request: Sent[]): void {
    const frames = request.map(({ values, sequence }) =>
      batchOf(values, { producerId: BigInt(this.#producerId), producerEpoch: 0, baseSequence: sequence }),
    );
    const attempt = this.#attempts.begin();
    const batches = request.map(({ partition, sequence }, index) => ({
      ...produced(this.#topicId, partition, frames[index]!, {
        producerId: this.#producerId,
        baseSequence: sequence,
      }),
      maxTimestampMs: attempt,
    }));
    this.#inflight++;
    this.#unacknowledged.push(request);
    const deadlineMs = this.#path.clock.monotonicMs() + 200 + this.#random.below(3_000);
    const connection = this.#connection;
    const options = { deadlineMs, connection, left: connection };
    void this.#path.writePath.append(batches, options).then(({ results }) => {
      this.#attempts.end(attempt);
      for (const frame of frames) frame.fill(0xee);
      this.#inflight--;
      this.#answered(request, results);
    });
  }

  #answered(request: Sent[], results: readonly AppendResult[]): void {
    const rest: Sent[] = [];
    for (const [index, sent] of request.entries()) {
      const { error, baseOffset } = results[index]!;
      if (error === 'NONE') {
        sent.offset = baseOffset;
        this.acknowledged.push(sent);
      } else {
        rest.push(sent);
      }
    }
    const at = this.#unacknowledged.indexOf(request);
    if (rest.length === 0) this.#unacknowledged.splice(at, 1);
    else this.#unacknowledged[at] = rest;
    if (rest.length > 0) this.#mustRetry = true;
  }
}

/** A control plane that is sometimes unavailable, before a commit or after it. */
function shakyPort(
  random: Random,
  clock: () => Clock,
  attempts: Attempts,
  isShaky: () => boolean,
  onFile: (file: FileCommit) => void,
) {
  return commitsThrough(async (wanted, cluster) => {
    const waitsUnsent = isShaky() && random.next() < 0.1;
    if (waitsUnsent) await new Promise<void>((resolve) => clock().after(random.below(6_000), resolve));
    if (isShaky() && random.next() < 0.05) throw new ClusterUnavailable('never sent');
    const files = filesToSend(wanted);
    for (const file of files) attempts.sent(file);
    files.forEach(onFile);
    if (isShaky() && random.next() < 0.05)
      await new Promise<void>((resolve) => clock().after(random.below(6_000), resolve));
    if (isShaky() && random.next() < 0.15) throw new ClusterUnavailable('gone before');
    const results = await cluster.commitFiles(files);
    if (isShaky() && random.next() < 0.15) throw new ClusterUnavailable('gone after');
    return results;
  });
}

async function readBack(path: DataPath, partition: number): Promise<string[]> {
  const values: string[] = [];
  for (;;) {
    const response = await path.call('Fetch', 11, {
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes: 600,
      topics: [
        {
          topic: 't',
          partitions: [{ partition, fetchOffset: BigInt(values.length), partitionMaxBytes: 600 }],
        },
      ],
    });
    assert.ok(typeof response !== 'string');
    const { errorCode, records } = response.responses[0]!.partitions[0]!;
    assert.equal(errorCode, 0);
    if (records === null || records.length === 0) return values;
    for (const batch of recordBatches(records, { partialTail: 'error' })) {
      assert.ok(batch.hasValidCrc(), 'the bytes are those that were sent');
      for (const { offset, value } of batchRecords(batch)) {
        if (offset < BigInt(values.length)) continue;
        assert.equal(offset, BigInt(values.length), 'offsets have no gaps');
        values.push(value!.toString());
      }
    }
  }
}

test('acknowledged records are readable, once and in order, under any failure', async () => {
  let failedPuts = 0;
  let givenUp = 0;
  let hedges = 0;
  let overtaken = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const random = seededRandom(seed);
    let isShaky = true;
    const attempts = new Attempts();
    const committed = new Set<string>();
    const path: DataPath = new DataPath({
      seed,
      hedgesUploads: seed % 2 === 0,
      flush: { windowMs: random.below(2) * 25, compressedBytesMax: 200 + random.below(2_000) },
      inflightFilesMax: 1 + random.below(8),
      bufferedBytesMax: 1_000 + random.below(10_000),
      pages: {
        pageBytes: 64 + random.below(1_000),
        cacheBytesMax: random.below(3) * 2_000,
        ownFiles: random.next() < 0.5 ? 'copy' : 'none',
      },
      port: shakyPort(
        random,
        () => path.clock,
        attempts,
        () => isShaky,
        ({ fileId }) => {
          const before = [...committed].at(-1) ?? '';
          if (!committed.has(fileId) && fileId < before) overtaken++;
          committed.add(fileId);
        },
      ),
    });
    path.store.beforePut = () => {
      const fails = isShaky && random.next() < 0.1;
      if (fails) failedPuts++;
      return new Promise((resolve, reject) => {
        const latencyMs = random.next() < 0.05 ? random.below(3_000) : random.below(60);
        path.clock.after(latencyMs, () => (fails ? reject(new Error('no')) : resolve()));
      });
    };
    const { topicId } = path.cluster.addTopic('t', partitions);
    await path.ready();
    const producers = [1, 2, 3].map((id) => new Producer(path, topicId, random, attempts, id));
    for (let turn = 0; producers.some(({ isDone }) => !isDone); turn++) {
      assert.ok(turn < 20_000, `seed ${seed}: it ends`);
      if (turn === 2_000) isShaky = false;
      for (const producer of producers) producer.step();
      path.clock.advance(1 + random.below(15));
      await settle();
    }
    isShaky = false;
    await settle();
    givenUp += attempts.unsent.size;
    const [, won] = /retry\{operation="put",outcome="won"\} (\d+)/.exec(path.metrics.render()) ?? [];
    hedges += Number(won ?? 0);

    for (let partition = 0; partition < partitions; partition++) {
      const values = await readBack(path, partition);
      const sent = producers
        .flatMap(({ acknowledged }) => acknowledged)
        .filter((one) => one.partition === partition);
      for (const { offset, values: expected } of sent) {
        assert.deepEqual(values.slice(offset, offset + expected.length), expected, `seed ${seed}`);
      }
      const total = sent.reduce((sum, one) => sum + one.values.length, 0);
      assert.equal(values.length, total, `seed ${seed}: nothing twice, nothing that was not acknowledged`);
      for (const producerId of [1, 2, 3]) {
        const sequences = values
          .map((value) => value.split(':').map(Number))
          .filter(([id]) => id === producerId)
          .map(([, , sequence]) => sequence);
        assert.deepEqual(
          sequences,
          [...sequences.keys()],
          `seed ${seed}: producer ${producerId} is in order`,
        );
      }
    }
    path.view.close();
  }
  assert.ok(failedPuts > seeds, 'some stores failed');
  assert.ok(givenUp > seeds, 'some requests were given up');
  assert.ok(hedges > 0, 'some second uploads were faster');
  assert.ok(overtaken > 0, 'some files were committed before others that were closed first');
});
