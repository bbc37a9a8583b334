import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProducedBatch } from '@weir/broker';
import type { ManagedTopic } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { type ErrorName, errors, zeroUuid } from '@weir/wire';
import { SourceWrites, type WrittenSource } from './source-writes.ts';

/** A source of two brokers; partition n has the leader n % 2. Answers wait until the test gives them. */
class FakeSource {
  readonly clock = new HandClock();
  readonly requests: { leader: number; partitions: number[]; texts: string[]; answer: () => void }[] = [];
  readonly connects: number[] = [];
  metadataCount = 0;
  opens = 0;
  topicId: string = zeroUuid;
  configurationId = 'c1';
  isRunning = true;
  error: ErrorName = 'NONE';
  throttleTimeMs = 0;
  connecting: (leader: number) => Promise<void> = async () => {};
  #next = 100;
  readonly writes = new SourceWrites({
    port: {
      openMigrationSource: async () =>
        this.isRunning ? { configurationId: this.configurationId, yaml: '', secrets: {} } : null,
    } as never,
    open: async () => {
      this.opens++;
      return this.#cluster();
    },
    clock: this.clock,
    log: silentLog,
    stopping: new AbortController().signal,
  });

  #cluster(): WrittenSource {
    return {
      metadata: async () => {
        this.metadataCount++;
        const partitions = [0, 1, 2, 3].map((partitionIndex) => ({
          partitionIndex,
          leaderId: partitionIndex % 2,
        }));
        return {
          brokers: [],
          topics: [{ name: 'source', topicId: this.topicId, errorCode: 0, partitions }],
        } as never;
      },
      connectionTo: async (leader) => {
        await this.connecting(leader);
        this.connects.push(leader);
        return {
          isClosed: false,
          request: (_: unknown, body: never) => this.#request(leader, body),
        } as never;
      },
      close: async () => {},
    };
  }

  #request(
    leader: number,
    { topicData }: { topicData: { partitionData: { index: number; records: Buffer }[] }[] },
  ): Promise<unknown> {
    const { partitionData } = topicData[0]!;
    const partitionResponses = partitionData.map(({ index }) => ({
      index,
      errorCode: errors[this.error].code,
      errorMessage: null,
      baseOffset: this.error === 'NONE' ? BigInt(this.#next++) : -1n,
      logStartOffset: 3n,
    }));
    return new Promise((resolve) => {
      this.requests.push({
        leader,
        partitions: partitionData.map(({ index }) => index),
        texts: partitionData.map(({ records }) => records.toString()),
        answer: () => resolve({ responses: [{ partitionResponses }], throttleTimeMs: this.throttleTimeMs }),
      });
    });
  }

  async write(batches: readonly [partition: number, text: string][], maySend = () => true) {
    return (await this.outcome(batches, maySend)).results;
  }

  outcome(batches: readonly [partition: number, text: string][], maySend = () => true) {
    return this.writes.write({
      migration: {
        pipelineId: 'p',
        sourceTopic: 'source',
        sourceTopicId: '',
        state: 'PROXY',
      } as ManagedTopic,
      batches: batches.map(([partition, text]) => ({ partition, bytes: Buffer.from(text) }) as ProducedBatch),
      deadlineMs: this.clock.monotonicMs() + 4_000,
      maySend,
    });
  }
}

test('batches reach the leaders of their partitions, and the answer has the offsets of the source', async () => {
  const source = new FakeSource();
  const written = source.write([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
  ]);
  await settle();
  assert.deepEqual(
    source.requests.map(({ leader, partitions, texts }) => [leader, partitions, texts]),
    [
      [0, [0, 2], ['a', 'c']],
      [1, [1], ['b']],
    ],
  );
  for (const { answer } of source.requests) answer();
  assert.deepEqual(
    (await written).map(({ error, baseOffset, logStartOffset }) => [error, baseOffset, logStartOffset]),
    [
      ['NONE', 100, 3],
      ['NONE', 102, 3],
      ['NONE', 101, 3],
    ],
  );
});

test('writes of a partition leave in the order of the calls, several before an answer', async () => {
  const source = new FakeSource();
  let release = () => {};
  source.connecting = (leader) =>
    leader === 0 && source.connects.length === 0
      ? new Promise((resolve) => {
          release = () => resolve();
        })
      : Promise.resolve();
  const all = Array.from({ length: 5 }, (_, index) => source.write([[0, String(index)]]));
  const other = source.write([[1, 'other']]);
  await settle();
  assert.deepEqual(
    source.requests.map(({ texts }) => texts[0]),
    ['other'],
    'a slow broker holds up only its own',
  );
  release();
  await settle();
  assert.deepEqual(
    source.requests.map(({ texts }) => texts[0]),
    ['other', '0', '1', '2', '3', '4'],
  );
  for (const { answer } of source.requests) answer();
  for (const written of [...all, other]) assert.equal((await written)[0]!.error, 'NONE');
});

test('nothing is sent once it may not be', async () => {
  const source = new FakeSource();
  const [result] = await source.write([[0, 'a']], () => false);
  assert.equal(result!.error, 'NOT_LEADER_OR_FOLLOWER');
  assert.equal(source.requests.length, 0);
});

test('errors of the source are those of the client, and leaders are looked up again when they moved', async () => {
  const table: [ErrorName, ErrorName, number][] = [
    ['MESSAGE_TOO_LARGE', 'MESSAGE_TOO_LARGE', 1],
    ['OUT_OF_ORDER_SEQUENCE_NUMBER', 'OUT_OF_ORDER_SEQUENCE_NUMBER', 1],
    ['NOT_LEADER_OR_FOLLOWER', 'NOT_LEADER_OR_FOLLOWER', 2],
    ['UNKNOWN_TOPIC_OR_PARTITION', 'NOT_LEADER_OR_FOLLOWER', 2],
  ];
  for (const [error, expected, metadataCount] of table) {
    const source = new FakeSource();
    source.error = error;
    for (let times = 0; times < 2; times++) {
      const written = source.write([[0, 'a']]);
      await settle();
      source.requests.at(-1)!.answer();
      assert.equal((await written)[0]!.error, expected);
    }
    assert.equal(source.metadataCount, metadataCount, error);
  }
});

test('a topic that was made anew at the source gets nothing', async () => {
  const source = new FakeSource();
  source.topicId = 'AAAAAAAAAAAAAAAAAAAAAQ';
  const written = source.writes.write({
    migration: {
      pipelineId: 'p',
      sourceTopic: 'source',
      sourceTopicId: 'AAAAAAAAAAAAAAAAAAAAAg',
    } as ManagedTopic,
    batches: [{ partition: 0, bytes: Buffer.from('a') } as ProducedBatch],
    deadlineMs: source.clock.monotonicMs() + 1_000,
    maySend: () => true,
  });
  assert.equal((await written).results[0]!.error, 'NOT_LEADER_OR_FOLLOWER');
  assert.equal(source.requests.length, 0);
});

test('a broker that asks for a pause gets nothing meanwhile, and clients are told', async () => {
  const source = new FakeSource();
  source.throttleTimeMs = 1_000;
  const throttled = source.outcome([[0, 'a']]);
  await settle();
  source.requests[0]!.answer();
  assert.equal((await throttled).throttleTimeMs, 1_000);
  source.throttleTimeMs = 0;
  const [waiting, other] = [source.outcome([[0, 'b']]), source.outcome([[1, 'other']])];
  await settle();
  source.clock.advance(900);
  await settle();
  assert.deepEqual(
    source.requests.map(({ texts }) => texts[0]),
    ['a', 'other'],
    'the other broker has not asked for one',
  );
  source.requests[1]!.answer();
  assert.equal((await other).throttleTimeMs, 0);
  source.clock.advance(100);
  await settle();
  source.requests[2]!.answer();
  assert.deepEqual([(await waiting).results[0]!.error, (await waiting).throttleTimeMs], ['NONE', 0]);
});

test('what a broker wants later than a client waits is not sent', async () => {
  const source = new FakeSource();
  source.throttleTimeMs = 3_600_000;
  const throttled = source.outcome([[0, 'a']]);
  await settle();
  source.requests[0]!.answer();
  assert.equal((await throttled).throttleTimeMs, 30_000);
  const late = source.outcome([[0, 'b']]);
  await settle();
  source.clock.advance(4_000);
  assert.equal((await late).results[0]!.error, 'REQUEST_TIMED_OUT');
  assert.equal(source.requests.length, 1);
  const later = source.outcome([[0, 'c']]);
  await settle();
  assert.equal(source.requests.length, 1);
  source.clock.advance(4_000);
  assert.equal((await later).throttleTimeMs, 22_000);
});

test('a new configuration opens the source anew, and a paused migration gets nothing', async () => {
  const source = new FakeSource();
  const write = async () => {
    const written = source.write([[0, 'a']]);
    await settle();
    source.requests.at(-1)?.answer();
    return (await written)[0]!.error;
  };
  assert.equal(await write(), 'NONE');
  assert.equal(await write(), 'NONE');
  assert.equal(source.opens, 1);
  source.configurationId = 'c2';
  source.clock.advance(11_000);
  assert.equal(await write(), 'NONE');
  assert.equal(source.opens, 2);
  source.isRunning = false;
  source.clock.advance(11_000);
  assert.equal(await write(), 'NOT_LEADER_OR_FOLLOWER');
});
