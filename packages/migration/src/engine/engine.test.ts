import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FakeKafka, FakeKafkaOptions } from '@weir/client/testing';
import { seededRandom, systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
import { buildRecordBatch, errors, RecordBatchView, rewritePosition } from '@weir/wire';
import { MemoryDestination } from '../../testing/memory-destination.ts';
import { startSource } from '../../testing/open-source.ts';
import { readConfiguration } from '../configuration/index.ts';
import { ByteBudget, type MigrationEvent, SlotCopy, TopicsRun } from './index.ts';

/** Appends a batch, whose epoch is that of another leader. Returns its bytes as a copy has them. */
function produce(
  kafka: FakeKafka,
  topic: string,
  partition: number,
  texts: readonly string[],
  gap = 0,
): Buffer {
  const log = kafka.topics.get(topic)!.partitions[partition]!;
  const bytes = buildRecordBatch(
    texts.map((value) => ({ timestamp: 7n, key: null, value: Buffer.from(value) })),
    { codec: 'lz4' },
  );
  const base = log.end + BigInt(gap);
  rewritePosition(bytes, base, 3);
  log.batches.push(bytes);
  log.end = base + BigInt(texts.length);
  const copy = Buffer.from(bytes);
  rewritePosition(copy, base, 0);
  return copy;
}

/** Waits until an assertion holds. */
function eventually(holds: () => void): Promise<void> {
  return until(() => {
    try {
      holds();
      return true;
    } catch {
      return false;
    }
  });
}

const yaml = (more = '') => `source_bootstrap_brokers: [{hostname: 127.0.0.1, port: 1}]
topic_mappings:
  - {source_regex: "orders.*", destination_prefix: "old."${more}}
`;

/** Topics have no configs of their own, and there are no groups, unless a test says otherwise. */
const bare: NonNullable<FakeKafkaOptions['script']> = {
  DescribeConfigs: ({ resources }) => ({
    throttleTimeMs: 0,
    results: resources.map(({ resourceType, resourceName }) => ({
      errorCode: 0,
      errorMessage: null,
      resourceType,
      resourceName,
      configs: [],
    })),
  }),
  ListGroups: () => ({ errorCode: 0, groups: [] }),
};

async function migrate(
  t: TestContext,
  options: FakeKafkaOptions = {},
  setUp: (kafka: FakeKafka, destination: MemoryDestination) => void = () => {},
  text = yaml(),
  roundMs = 300,
  fetchBytesPerSecond?: number,
) {
  const { kafka, source } = await startSource(t, { ...options, script: { ...bare, ...options.script } });
  const reading = readConfiguration(text);
  assert.ok('configuration' in reading);
  const destination = new MemoryDestination();
  setUp(kafka, destination);
  const stop = new AbortController();
  const events: MigrationEvent[] = [];
  const onEvent = (event: MigrationEvent) => void events.push(event);
  const common = { source, destination, onEvent, clock: systemClock, stop: stop.signal };
  const unproxied: number[] = [];
  const topics = new TopicsRun({
    ...common,
    configuration: reading.configuration,
    onUnproxied: (_topic, records) => void unproxied.push(records),
    onLag: () => {},
    roundMs,
    watchMs: 600,
  });
  const budget = new ByteBudget(10_000_000);
  const slot = new SlotCopy({
    ...common,
    pipelineId: 'p',
    isMine: () => true,
    fetchBytesMax: 1_000_000,
    partitionBytesMax: 500_000,
    fetchBytesPerSecond,
    budget,
    onCopied: () => {},
  });
  const running = Promise.all([topics.run(), slot.run()]);
  t.after(async () => {
    stop.abort();
    await running;
    assert.equal(budget.heldBytes, 0);
  });
  const ends = (name: string, partition: number) => destination.topic(name).partitions[partition]!.end;
  return { kafka, destination, events, slot, ends, types: () => events.map(({ type }) => type) };
}

test('a copy has the batches of its source, with their offsets and gaps', async (t) => {
  const expected: Buffer[] = [];
  const { kafka, destination, ends, types } = await migrate(
    t,
    { brokers: 2, topics: { orders: 2, other: 1 } },
    (kafka) => {
      expected.push(produce(kafka, 'orders', 0, ['a', 'b']), produce(kafka, 'orders', 0, ['c'], 5));
      produce(kafka, 'orders', 1, ['d']);
    },
  );
  await eventually(() => assert.deepEqual([ends('old.orders', 0), ends('old.orders', 1)], [8, 1]));
  assert.deepEqual(destination.bytes('old.orders'), Buffer.concat(expected));
  expected.push(produce(kafka, 'orders', 0, ['e']));
  await eventually(() => assert.equal(ends('old.orders', 0), 9));
  assert.deepEqual(destination.bytes('old.orders'), Buffer.concat(expected));
  assert.deepEqual(types(), ['source_connected', 'topic_created'].toSorted().toReversed());
  assert.equal(destination.topics.size, 1);
});

test('answers that wait to be appended are not overwritten by later ones', async (t) => {
  const rounds = 10;
  const expected: Buffer[][] = [[], []];
  const random = seededRandom(7);
  const text = () => Buffer.from(Array.from({ length: 150_000 }, () => random.below(256))).toString('hex');
  const produceMore = (kafka: FakeKafka) => {
    for (const [partition, batches] of expected.entries())
      if (batches.length < rounds) batches.push(produce(kafka, 'orders', partition, [text()]));
  };
  const { destination, ends } = await migrate(t, { topics: { orders: 2 } }, (kafka, destination) => {
    produceMore(kafka);
    // The next answer arrives while this one waits.
    destination.beforeAppend = () => {
      produceMore(kafka);
      return new Promise((resolve) => systemClock.after(100, resolve));
    };
  });
  await eventually(() => assert.deepEqual([ends('old.orders', 0), ends('old.orders', 1)], [rounds, rounds]));
  for (const [partition, batches] of expected.entries())
    assert.ok(destination.bytes('old.orders', partition).equals(Buffer.concat(batches)));
});

test('a copy with a rate asks for no more than a second of it at a time', async (t) => {
  const asked = new Set<number>();
  const script: FakeKafkaOptions['script'] = {
    Fetch: ({ maxBytes }) => {
      asked.add(maxBytes);
      return undefined;
    },
  };
  const expected: Buffer[] = [];
  const { destination, ends } = await migrate(
    t,
    { topics: { orders: 1 }, script },
    (kafka) => {
      for (let round = 0; round < 5; round++)
        expected.push(produce(kafka, 'orders', 0, [String(round).repeat(90_000)]));
    },
    yaml(),
    300,
    200_000,
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 5));
  assert.deepEqual(destination.bytes('old.orders'), Buffer.concat(expected));
  assert.deepEqual([...asked], [200_000]);
});

test('a copy waits as long as a source asks it to, and then goes on', async (t) => {
  const throttleTimeMs = 1_500;
  const askedMs: number[] = [];
  const { ends } = await migrate(
    t,
    {
      topics: { orders: 1 },
      script: {
        Fetch: ({ topics }) => {
          askedMs.push(systemClock.monotonicMs());
          if (askedMs.length > 1) return undefined;
          const partition = { errorCode: 0, highWatermark: 1n, abortedTransactions: null, records: null };
          return {
            throttleTimeMs,
            responses: topics.map(({ topic, topicId }) => ({
              topic,
              topicId,
              partitions: [{ partitionIndex: 0, ...partition }],
            })),
          };
        },
      },
    },
    (kafka) => produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  assert.ok(askedMs[1]! - askedMs[0]! >= throttleTimeMs - 5, `after ${askedMs[1]! - askedMs[0]!} ms`);
});

test('an append that failed is done again from where the copy ends', async (t) => {
  const expected: Buffer[] = [];
  const { destination, ends } = await migrate(t, { topics: { orders: 1 } }, (kafka, destination) => {
    for (const text of ['a', 'b', 'c']) expected.push(produce(kafka, 'orders', 0, [text]));
    destination.nextOutcomes.push(
      { error: 'UNAVAILABLE', nextOffset: -1, message: 'the leader does not answer' },
      { error: 'END_CHANGED', nextOffset: 0, message: 'ends at 0' },
    );
  });
  await eventually(() => assert.equal(ends('old.orders', 0), 3));
  assert.deepEqual(destination.bytes('old.orders'), Buffer.concat(expected));
});

test('records that the source deleted before they were copied are a gap, with an event', async (t) => {
  let isDeleted = false;
  const { ends, events } = await migrate(
    t,
    {
      topics: { orders: 1 },
      script: {
        Fetch: ({ topics }) =>
          isDeleted && topics[0]?.partitions[0]?.fetchOffset === 0n
            ? {
                throttleTimeMs: 0,
                responses: [
                  {
                    topic: 'orders',
                    topicId: topics[0].topicId,
                    partitions: [
                      {
                        partitionIndex: 0,
                        errorCode: errors.OFFSET_OUT_OF_RANGE.code,
                        highWatermark: -1n,
                        abortedTransactions: null,
                        records: null,
                      },
                    ],
                  },
                ],
              }
            : undefined,
        ListOffsets: ({ topics }) =>
          isDeleted
            ? {
                topics: topics.map(({ name, partitions }) => ({
                  name,
                  partitions: partitions.map(({ partitionIndex, timestamp }) => ({
                    partitionIndex,
                    errorCode: 0,
                    offset: timestamp === -2n ? 10n : 11n,
                  })),
                })),
              }
            : undefined,
      },
    },
    () => {},
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 0));
  isDeleted = true;
  await eventually(() => assert.ok(events.some(({ type }) => type === 'gap')));
  assert.equal(ends('old.orders', 0), 10);
  assert.deepEqual(events.find(({ type }) => type === 'gap')!.fields, {
    partition: 0,
    from_offset: 0,
    to_offset: 10,
  });
});

test('a topic that was created again at the source stops, and nothing is overwritten', async (t) => {
  const { kafka, slot, ends, events, destination } = await migrate(t, { topics: { orders: 1 } }, (kafka) =>
    produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  const before = destination.bytes('old.orders');
  kafka.topics.delete('orders');
  kafka.topics.set('orders', {
    id: Buffer.alloc(16, 'z').toString('base64url'),
    partitions: [{ batches: [], end: 0n }],
  });
  produce(kafka, 'orders', 0, ['x', 'y', 'z']);
  await eventually(() => assert.ok(events.some(({ type }) => type === 'recreation')));
  assert.match(slot.copied()[0]!.error!, /^partition 0: stopped: the topic was created again at the source/);
  assert.deepEqual(destination.bytes('old.orders'), before);
});

test('a source that lost records and has as many others stops when it is copied again', async (t) => {
  const { kafka, ends, destination, events } = await migrate(t, { topics: { orders: 1 } }, (kafka) =>
    produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  const before = destination.bytes('old.orders');
  const log = kafka.topics.get('orders')!.partitions[0]!;
  log.batches.length = 0;
  log.end = 0n;
  produce(kafka, 'orders', 0, ['b']);
  produce(kafka, 'orders', 0, ['c']);
  // As a job that starts: nothing is known of epochs.
  destination.nextOutcomes.push({ error: 'END_CHANGED', nextOffset: 1, message: 'ends at 1' });
  await eventually(() => assert.ok(events.some(({ type }) => type === 'truncation')));
  assert.match(
    String(events.find(({ type }) => type === 'truncation')!.fields!.reason),
    /^the source has other records at offset 0 than the copy/,
  );
  assert.deepEqual(destination.bytes('old.orders'), before);
});

test('a topic that is made again while it is copied stops, also where the source has no ids', async (t) => {
  let isGone = false;
  const { kafka, ends, destination, events, slot } = await migrate(
    t,
    {
      topics: { orders: 1 },
      // As of Kafka 2.4.
      versions: { Metadata: [0, 9], Fetch: [4, 11] },
      script: {
        Fetch: ({ topics }) =>
          isGone
            ? {
                throttleTimeMs: 0,
                responses: topics.map(({ topic, topicId, partitions }) => ({
                  topic,
                  topicId,
                  partitions: partitions.map(({ partition }) => ({
                    partitionIndex: partition,
                    errorCode: errors.UNKNOWN_TOPIC_OR_PARTITION.code,
                    highWatermark: -1n,
                    abortedTransactions: null,
                    records: null,
                  })),
                })),
              }
            : undefined,
      },
    },
    (kafka) => produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  const before = destination.bytes('old.orders');
  isGone = true;
  await eventually(() => assert.match(slot.copied()[0]?.error ?? '', /UNKNOWN_TOPIC_OR_PARTITION/));
  const log = kafka.topics.get('orders')!.partitions[0]!;
  log.batches.length = 0;
  log.end = 0n;
  for (const text of ['b', 'c', 'd']) produce(kafka, 'orders', 0, [text]);
  isGone = false;
  await eventually(() => assert.ok(events.some(({ type }) => type === 'truncation')));
  assert.deepEqual(destination.bytes('old.orders'), before);
});

test('a copy that ends as far as its source, with other records, is not cut over', async (t) => {
  const { kafka, destination, ends } = await migrate(t, { topics: { orders: 1 } }, (kafka) =>
    produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  const log = kafka.topics.get('orders')!.partitions[0]!;
  log.batches.length = 0;
  log.end = 0n;
  produce(kafka, 'orders', 0, ['b']);
  const change = (deadlineMs?: number) => {
    const { topicId, state, epoch } = destination.topic('old.orders').view;
    const topics = [{ topicId, from: state, epoch }];
    return destination.changeStates({ topics, to: 'PROXY', deadlineMs, reason: '' }, 'ann');
  };
  await change();
  await change(systemClock.nowMs() + 600_000);
  await eventually(() =>
    assert.match(
      destination.reported[0]?.held ?? '',
      /^partition 0 is stopped: the source has other records at offset 0 than the copy/,
    ),
  );
  assert.deepEqual(destination.reported[0]!.stopped.length, 1);
  assert.equal(destination.topic('old.orders').view.state, 'PROXY');
});

test('offsets at the end that compaction emptied are an empty batch', async (t) => {
  const { kafka, destination, ends } = await migrate(t, { topics: { orders: 1 } }, (kafka) => {
    produce(kafka, 'orders', 0, ['a']);
    kafka.topics.get('orders')!.partitions[0]!.end = 5n;
  });
  await eventually(() => assert.equal(ends('old.orders', 0), 5));
  const bytes = destination.bytes('old.orders');
  const tail = new RecordBatchView(bytes.subarray(bytes.length - 61));
  assert.deepEqual([tail.baseOffset, tail.recordCount, tail.nextOffset], [1n, 0, 5n]);
  produce(kafka, 'orders', 0, ['b']);
  await eventually(() => assert.equal(ends('old.orders', 0), 6));
});

test('partitions that the source adds are copied, and until then nothing is cut over', async (t) => {
  const { kafka, destination, ends, types } = await migrate(t, { topics: { orders: 1 } }, (kafka) =>
    produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  const change = (deadlineMs?: number) => {
    const { topicId, state, epoch } = destination.topic('old.orders').view;
    const topics = [{ topicId, from: state, epoch }];
    return destination.changeStates({ topics, to: 'PROXY', deadlineMs, reason: '' }, 'ann');
  };
  destination.growthRefusal = 'there is no room';
  const { id, partitions } = kafka.topics.get('orders')!;
  kafka.topics.set('orders', { id, partitions: [...partitions, { batches: [], end: 0n }] });
  produce(kafka, 'orders', 1, ['b', 'c']);
  await eventually(() =>
    assert.equal(destination.reported[0]?.error, 'partitions that the source added: there is no room'),
  );
  await change();
  await change(systemClock.nowMs() + 600_000);
  await eventually(() =>
    assert.equal(destination.reported[0]?.held, 'topic orders has 2 partitions at the source, and 1 here'),
  );
  assert.equal(destination.topic('old.orders').view.state, 'PROXY');
  destination.growthRefusal = undefined;
  await eventually(() => assert.equal(destination.topic('old.orders').view.state, 'MIGRATED'));
  assert.deepEqual([ends('old.orders', 0), ends('old.orders', 1)], [1, 2]);
  assert.ok(types().includes('partitions_added'));
});

test('a damaged batch stops its partition, and the batches before it are copied', async (t) => {
  const { ends, slot, types } = await migrate(t, { topics: { orders: 2 } }, (kafka) => {
    produce(kafka, 'orders', 0, ['a']);
    produce(kafka, 'orders', 0, ['b']);
    kafka.topics.get('orders')!.partitions[0]!.batches[1]![60]! ^= 1;
    produce(kafka, 'orders', 1, ['c']);
  });
  await eventually(() => assert.ok(types().includes('partition_stopped')));
  await eventually(() => assert.deepEqual([ends('old.orders', 0), ends('old.orders', 1)], [1, 1]));
  assert.match(slot.copied()[0]!.error!, /^partition 0: stopped: the batch at offset 1 has the CRC/);
});

test('a cut-over blocks writes, waits for the ends to stay, and hands the topic over', async (t) => {
  const { destination, ends, types } = await migrate(t, { topics: { orders: 1 } }, (kafka) =>
    produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  const change = (to: 'PROXY', deadlineMs?: number) => {
    const { topicId, state, epoch } = destination.topic('old.orders').view;
    return destination.changeStates(
      { topics: [{ topicId, from: state, epoch }], to, deadlineMs, reason: '' },
      'ann',
    );
  };
  destination.unconfirmedAgents = ['agent-2'];
  await change('PROXY');
  await eventually(() => assert.ok(types().includes('auto_migration_initiated')));
  await change('PROXY', systemClock.nowMs() + 600_000);
  await eventually(() => assert.equal(destination.topic('old.orders').view.state, 'BLOCKED'));
  await eventually(() =>
    assert.match(
      destination.reported[0]?.held ?? '',
      /^waits for agents to stop passing writes on: agent-2$/,
    ),
  );
  destination.unconfirmedAgents = [];
  await eventually(() => assert.equal(destination.topic('old.orders').view.state, 'MIGRATED'));
  await eventually(() => assert.ok(types().includes('auto_migration_completed')));
  assert.deepEqual(
    types().filter((type) => type.startsWith('auto_')),
    [
      'auto_migration_initiated',
      'auto_migration_cut_over_requested',
      'auto_migration_blocked',
      'auto_migration_completed',
    ],
  );
});

test('topics that the configuration gives to clients are handed over when the source rests', async (t) => {
  const { destination, ends } = await migrate(
    t,
    { topics: { orders: 1 } },
    (kafka) => produce(kafka, 'orders', 0, ['a']),
    yaml(', irreversible_disable_orbit_management: true'),
  );
  await eventually(() => assert.equal(destination.topic('old.orders').view.state, 'MIGRATED'));
  assert.equal(ends('old.orders', 0), 1);
});

test('a source that does not answer is one line, and the copy goes on by itself', async (t) => {
  let isDown = true;
  const { destination, ends, types } = await migrate(
    t,
    { topics: { orders: 1 }, script: { Metadata: () => (isDown ? 'hang up' : undefined) } },
    (kafka) => produce(kafka, 'orders', 0, ['a']),
  );
  await eventually(() => assert.ok(destination.error !== undefined));
  assert.doesNotMatch(destination.error!, /\n/);
  isDown = false;
  await eventually(() => assert.equal(ends('old.orders', 0), 1));
  assert.deepEqual(types().slice(0, 1), ['source_failed']);
});

/** One group, which has committed an offset in the first partition, at a source of one broker. */
function groupOf(
  committed: () => { readonly offset: bigint; readonly error?: number; readonly groupError?: number },
) {
  return {
    ListGroups: () => ({
      errorCode: 0,
      groups: [{ groupId: 'readers', protocolType: 'consumer', groupState: 'Empty', groupType: 'classic' }],
    }),
    OffsetFetch: () => {
      const { offset, error = 0, groupError = 0 } = committed();
      const partitions = [{ partitionIndex: 0, committedOffset: offset, metadata: 'note', errorCode: error }];
      return {
        groups: [{ groupId: 'readers', topics: [{ name: 'orders', partitions }], errorCode: groupError }],
      };
    },
  } satisfies NonNullable<FakeKafkaOptions['script']>;
}

test('a cut-over takes what groups committed at last, and waits until that can be read', async (t) => {
  let answer: ReturnType<Parameters<typeof groupOf>[0]> = { offset: 1n };
  const { destination, ends } = await migrate(
    t,
    { topics: { orders: 1 }, script: groupOf(() => answer) },
    (kafka) => produce(kafka, 'orders', 0, ['a', 'b', 'c']),
    undefined,
    // Only the first round, so that nothing but the cut-over copies offsets later.
    600_000,
  );
  const committed = () => destination.committed.get('readers old.orders 0');
  await eventually(() => assert.equal(ends('old.orders', 0), 3));
  await eventually(() => assert.ok(committed() !== undefined && committed()! <= 1));
  const { UNSTABLE_OFFSET_COMMIT, GROUP_AUTHORIZATION_FAILED } = errors;
  answer = { offset: -1n, error: UNSTABLE_OFFSET_COMMIT.code };
  const change = (deadlineMs?: number) => {
    const { topicId, state, epoch } = destination.topic('old.orders').view;
    return destination.changeStates(
      { topics: [{ topicId, from: state, epoch }], to: 'PROXY', deadlineMs, reason: '' },
      'ann',
    );
  };
  await change();
  await change(systemClock.nowMs() + 600_000);
  const held = () => destination.reported[0]?.held;
  await eventually(() =>
    assert.equal(
      held(),
      'offsets of groups cannot be copied: group readers commits in a transaction of the source that has not ended',
    ),
  );
  answer = { offset: -1n, groupError: GROUP_AUTHORIZATION_FAILED.code };
  await eventually(() => assert.match(held() ?? '', /: group readers: .*GROUP_AUTHORIZATION_FAILED/));
  assert.equal(destination.topic('old.orders').view.state, 'PROXY');
  answer = { offset: 3n };
  await eventually(() => assert.equal(destination.topic('old.orders').view.state, 'MIGRATED'));
  assert.equal(committed(), 3);
});

test('groups whose offsets cannot be read are one line for people', async (t) => {
  const answer = { offset: -1n, groupError: errors.GROUP_AUTHORIZATION_FAILED.code };
  const { destination } = await migrate(t, { topics: { orders: 1 }, script: groupOf(() => answer) });
  await eventually(() =>
    assert.match(
      destination.error ?? '',
      /^offsets of groups cannot be copied: group readers: .*GROUP_AUTHORIZATION_FAILED/,
    ),
  );
});
