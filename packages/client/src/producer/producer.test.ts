import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterEvents, type Clock } from '@weir/core';
import { type Api, apis, batchRecords, errors, recordBatches } from '@weir/wire';
import fc from 'fast-check';
import type { KafkaCluster } from '../cluster.ts';
import { ConnectionFailed } from '../connection-failed.ts';
import { Producer, type ProducerOptions } from './producer.ts';

const address = { host: 'broker', port: 9092 };

/** What happens to a request. */
type Fault = 'none' | 'refused' | 'lost before' | 'lost after' | 'forgotten';

/** A clock whose time passes when something waits. */
function hastyClock(): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs, run) {
      let isCancelled = false;
      afterEvents(() => {
        if (isCancelled) return;
        nowMs += delayMs;
        run();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

interface ProduceBody {
  readonly topicData: readonly {
    readonly partitionData: readonly { readonly index: number; readonly records: Buffer }[];
  }[];
}

/** Partitions that check the numbers of records as brokers do. */
class ModelBroker {
  readonly logs = new Map<number, string[]>();
  readonly clock = hastyClock();
  readonly bytesMax: number;
  /** So often nothing listens where the cluster is asked for its leaders. */
  refusals = 0;
  readonly #faults: Iterator<Fault>;
  /** The first numbers of the last batches, by producer and partition. */
  readonly #sequences = new Map<string, { next: number; recent: number[] }>();
  #producers = 0;

  constructor(faults: Iterator<Fault>, bytesMax = Number.POSITIVE_INFINITY) {
    this.#faults = faults;
    this.bytesMax = bytesMax;
  }

  cluster(): KafkaCluster {
    const connection = { request: (api: Api, body: unknown) => this.#request(api, body as ProduceBody) };
    return {
      clock: this.clock,
      timeoutMs: 1_000,
      retrying: (attempt: () => unknown) => attempt(),
      bootstrap: async () => connection,
      connectionTo: async () => connection,
      metadata: async ([name]: readonly string[]) => {
        if (this.refusals-- > 0) throw new ConnectionFailed(address, 'refused', 'connection refused');
        return {
          brokers: [{ nodeId: 1, ...address }],
          topics: [
            {
              name,
              errorCode: 0,
              topicId: '0'.repeat(8),
              partitions: [0, 1].map((partitionIndex) => ({ partitionIndex, leaderId: 1 })),
            },
          ],
        };
      },
    } as unknown as KafkaCluster;
  }

  async #request(api: Api, body: ProduceBody): Promise<object> {
    if (api.name === apis.InitProducerId.name)
      return { errorCode: 0, producerId: BigInt(++this.#producers), producerEpoch: 0 };
    await new Promise<void>((resolve) => afterEvents(resolve));
    const fault = this.#faults.next().value as Fault;
    if (fault === 'lost before') throw new ConnectionFailed(address, 'closed', 'closed');
    if (fault === 'forgotten') this.#sequences.clear();
    const partitionResponses = body.topicData
      .flatMap(({ partitionData }) => partitionData)
      .map(({ index, records }) => ({
        index,
        errorCode: fault === 'refused' ? errors.NOT_LEADER_OR_FOLLOWER.code : this.#append(index, records),
        baseOffset: 0n,
      }));
    if (fault === 'lost after') throw new ConnectionFailed(address, 'closed', 'closed');
    return { responses: [{ name: 't', partitionResponses }] };
  }

  #append(partition: number, bytes: Buffer): number {
    if (bytes.length > this.bytesMax) return errors.MESSAGE_TOO_LARGE.code;
    const [batch] = recordBatches(bytes, { partialTail: 'error' });
    assert.ok(batch);
    assert.ok(batch.hasValidCrc());
    if (batch.producerId >= 0n) {
      const key = `${batch.producerId} ${partition}`;
      const known = this.#sequences.get(key) ?? { next: 0, recent: [] };
      if (known.recent.includes(batch.baseSequence)) return errors.NONE.code;
      if (known.next !== batch.baseSequence && this.#sequences.has(key))
        return errors.OUT_OF_ORDER_SEQUENCE_NUMBER.code;
      known.next = batch.lastSequence + 1;
      known.recent = [...known.recent, batch.baseSequence].slice(-5);
      this.#sequences.set(key, known);
    }
    const log = this.logs.get(partition) ?? [];
    this.logs.set(partition, log);
    for (const { value } of batchRecords(batch)) log.push(value!.toString());
    return errors.NONE.code;
  }
}

const usual: ProducerOptions = {
  acks: 'all',
  codec: 'none',
  isIdempotent: true,
  batchBytesMax: 200,
  timeoutMs: 1e9,
  metadataMaxAgeMs: 1e9,
};

const recordOf = (text: string) => ({ key: null, value: Buffer.from(text), timestamp: 0n });

const calls = fc.array(fc.record({ partition: fc.nat(1), count: fc.integer({ min: 1, max: 6 }) }), {
  minLength: 1,
  maxLength: 30,
});

/** Faults, and no more after a while, so that every run ends. */
function* faultsOf(faults: readonly Fault[]): Generator<Fault, never> {
  yield* faults;
  for (;;) yield 'none';
}

test('whatever is lost on the way, all records are stored once and in order', async () => {
  const fault = fc.constantFrom<Fault>('none', 'none', 'refused', 'lost before', 'lost after');
  await fc.assert(
    fc.asyncProperty(calls, fc.array(fault, { maxLength: 60 }), async (sends, faults) => {
      const broker = new ModelBroker(faultsOf(faults));
      const producer = new Producer(broker.cluster(), usual);
      const expected = new Map<number, string[]>();
      const sending = sends.map(async ({ partition, count }, call) => {
        const texts = Array.from({ length: count }, (_, at) => `${call}.${at}`);
        expected.set(partition, [...(expected.get(partition) ?? []), ...texts]);
        const failed = await producer.send('t', partition, texts.map(recordOf));
        assert.equal(failed.size, 0);
      });
      await Promise.all(sending);
      assert.deepEqual(broker.logs, expected);
    }),
    { numRuns: 200 },
  );
});

test('a broker that forgets the producer, or does not know numbers, loses nothing', async () => {
  const fault = fc.constantFrom<Fault>('none', 'refused', 'lost before', 'lost after', 'forgotten');
  await fc.assert(
    fc.asyncProperty(
      calls,
      fc.array(fault, { maxLength: 60 }),
      fc.boolean(),
      async (sends, faults, isIdempotent) => {
        const broker = new ModelBroker(faultsOf(faults));
        const producer = new Producer(broker.cluster(), { ...usual, isIdempotent });
        await Promise.all(
          sends.map(async ({ partition, count }, call) => {
            const texts = Array.from({ length: count }, (_, at) => `${call}.${at}`);
            assert.equal((await producer.send('t', partition, texts.map(recordOf))).size, 0);
            for (const text of texts) assert.ok(broker.logs.get(partition)?.includes(text), text);
          }),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test('what takes too long is given up, and what follows is stored', async () => {
  const broker = new ModelBroker(faultsOf(['none', ...Array<Fault>(40).fill('refused')]));
  const producer = new Producer(broker.cluster(), { ...usual, timeoutMs: 5_000 });
  assert.equal((await producer.send('t', 0, [recordOf('a')])).size, 0);
  const [given, ...later] = await Promise.all(
    ['b', 'c'].map((text) => producer.send('t', 0, [recordOf(text)])),
  );
  assert.match(given!.get(0)!.message, /NOT_LEADER/);
  void later;
  let isStored = false;
  while (!isStored) isStored = (await producer.send('t', 0, [recordOf('d')])).size === 0;
  assert.deepEqual(
    broker.logs.get(0)?.filter((text) => text !== 'b' && text !== 'c'),
    ['a', 'd'],
  );
});

test('a cluster that was reached is asked for its leaders again, as long as records are tried', async () => {
  const broker = new ModelBroker(faultsOf(['none', 'lost after', 'none', 'none']));
  const producer = new Producer(broker.cluster(), { ...usual, timeoutMs: 30_000 });
  const sent = async (text: string) => (await producer.send('t', 0, [recordOf(text)])).get(0)?.message;
  broker.refusals = 1;
  assert.match((await sent('a mistyped address'))!, /connection refused/);
  assert.equal(await sent('a'), undefined);
  broker.refusals = 10;
  assert.equal(await sent('b'), undefined);
  assert.deepEqual(broker.logs.get(0), ['a', 'b']);
  producer.close();
});

test('records are given up when the cluster does not come back in time', async () => {
  const broker = new ModelBroker(faultsOf(['none', 'lost before']));
  const producer = new Producer(broker.cluster(), { ...usual, timeoutMs: 5_000 });
  const sent = async (text: string) => (await producer.send('t', 0, [recordOf(text)])).get(0)?.message;
  assert.equal(await sent('a'), undefined);
  broker.refusals = 1_000;
  assert.match((await sent('b'))!, /connection refused/);
  broker.refusals = 0;
  assert.equal(await sent('c'), undefined);
  assert.deepEqual(broker.logs.get(0), ['a', 'c']);
});

test('of a batch that is too large for the broker only a record fails that is too large alone', async () => {
  const broker = new ModelBroker(faultsOf([]), 250);
  const producer = new Producer(broker.cluster(), { ...usual, batchBytesMax: 10_000 });
  const texts = ['a', 'b', 'x'.repeat(300), 'c', 'd'.repeat(100), 'e'.repeat(100)];
  const failed = await producer.send('t', 0, texts.map(recordOf));
  assert.deepEqual([...failed.keys()], [2]);
  assert.deepEqual(
    broker.logs.get(0),
    texts.filter((_, index) => index !== 2),
  );
  const local = await producer.send('t', 0, [recordOf('y'.repeat(20_000)), recordOf('f')]);
  assert.match(local.get(0)!.message, /^the message has 20032 bytes; 10000 are allowed$/);
  assert.equal(local.size, 1);
});

test('a producer that is closed gives up what waits', async () => {
  const producer = new Producer(new ModelBroker(faultsOf([])).cluster(), usual);
  const sending = producer.send('t', 0, [recordOf('a')]);
  producer.close();
  assert.equal((await sending).get(0)?.message, 'stopped');
  assert.equal((await producer.send('t', 0, [recordOf('b')])).get(0)?.message, 'stopped');
});
