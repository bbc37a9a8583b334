import { buildRecordBatch, headerAt } from '@weir/wire';
import type { Pair } from '../pair.ts';
import { batchOf, type Dialogue, fetch, produce, type ToProduce } from './dialogue.ts';

const codecs = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;

/** Bytes of a good batch with one of them changed. */
function damaged(pair: Pair, at: number, byte: number): Buffer {
  const batch = Buffer.from(batchOf(pair, ['a', 'b']));
  batch[at] = byte;
  return batch;
}

/** Records: written, read, located. */
export const recordDialogues: readonly Dialogue[] = [
  {
    name: 'records are written',
    api: 'Produce',
    async run(pair) {
      const topic = await pair.topic('written', 2);
      await produce(pair, { topic, records: batchOf(pair, ['a', 'b']) });
      await produce(pair, { topic, records: batchOf(pair, ['c']), acks: 1 });
      for (const codec of codecs)
        await produce(pair, { topic, records: batchOf(pair, ['d', null], { codec }) });
      await produce(pair, { topic, records: batchOf(pair, ['e']), partition: 1 });
      await pair.ask('Produce', (side, version) => ({
        acks: -1,
        timeoutMs: 10_000,
        topicData: [
          {
            ...(version < 13 ? { name: topic } : { topicId: side.topicId(topic) }),
            partitionData: [0, 1, 2].map((index) => ({ index, records: batchOf(pair, ['f', 'g']) })),
          },
        ],
      }));
      await fetch(pair, { topic });
      await fetch(pair, { topic, partition: 1 });
    },
  },
  {
    name: 'what cannot be written',
    api: 'Produce',
    async run(pair) {
      const topic = await pair.topic('refused');
      const good = batchOf(pair, ['a']);
      const refused: Readonly<Record<string, Partial<ToProduce>>> = {
        'acks 2': { records: good, acks: 2 },
        'acks -2': { records: good, acks: -2 },
        'no bytes': { records: Buffer.alloc(0) },
        'a part of a header': { records: good.subarray(0, 40) },
        'a part of a batch': { records: good.subarray(0, good.length - 1) },
        'two batches': { records: Buffer.concat([good, good]) },
        'bytes behind the batch': { records: Buffer.concat([good, Buffer.from('more')]) },
        'a wrong CRC': { records: damaged(pair, headerAt.crc, 9) },
        'an unknown magic': { records: damaged(pair, headerAt.magic, 3) },
        'an old magic': { records: damaged(pair, headerAt.magic, 1) },
        'a partition too far': { records: good, partition: 1 },
        'a partition below zero': { records: good, partition: -1 },
        'a control batch': { records: batchOf(pair, ['a'], { isControl: true }) },
        'a transactional batch': { records: batchOf(pair, ['a'], { isTransactional: true }) },
        'an offset': { records: batchOf(pair, ['a'], { baseOffset: 7n }) },
      };
      for (const [what, more] of Object.entries(refused)) {
        await pair.during(what, () => produce(pair, { topic, records: good, ...more }));
      }
      await pair.ask('Produce', (_, version) => ({
        acks: -1,
        timeoutMs: 10_000,
        topicData: [`${pair.prefix}-absent`, '', 'a b'].map((name, index) => ({
          ...(version < 13 ? { name } : { topicId: Buffer.alloc(16, index).toString('base64url') }),
          partitionData: [{ index: 0, records: good }],
        })),
      }));
      await fetch(pair, { topic });
    },
  },
  {
    name: 'topics have rules for records',
    api: 'Produce',
    async run(pair) {
      const compacted = await pair.topic('compacted', 1, { 'cleanup.policy': 'compact' });
      const withoutKey = buildRecordBatch([
        { timestamp: pair.recordTimeMs, key: null, value: Buffer.from('a') },
      ]);
      await produce(pair, { topic: compacted, records: withoutKey });
      await produce(pair, { topic: compacted, records: batchOf(pair, ['a', null]) });
      const appended = await pair.topic('appended', 1, { 'message.timestamp.type': 'LogAppendTime' });
      await produce(pair, { topic: appended, records: batchOf(pair, ['a', 'b']) });
      await fetch(pair, { topic: appended });
      const small = await pair.topic('small', 1, { 'max.message.bytes': '1000' });
      await produce(pair, { topic: small, records: batchOf(pair, ['a'.repeat(2_000)]) });
      await produce(pair, { topic: small, records: batchOf(pair, ['a']) });
      const recent = await pair.topic('recent', 1, { 'message.timestamp.before.max.ms': '60000' });
      await produce(pair, { topic: recent, records: batchOf(pair, ['a']) });
    },
  },
  {
    name: 'an idempotent producer',
    api: 'Produce',
    async run(pair) {
      const topic = await pair.topic('idempotent');
      const ids = await pair.ask('InitProducerId', { transactionalId: null, transactionTimeoutMs: 60_000 });
      if (ids === undefined) return;
      const write = (baseSequence: number, count = 1, producerEpoch = 0, producerId?: bigint) =>
        pair.ask('Produce', (side, version) => ({
          acks: -1,
          timeoutMs: 10_000,
          topicData: [
            {
              ...(version < 13 ? { name: topic } : { topicId: side.topicId(topic) }),
              partitionData: [
                {
                  index: 0,
                  records: batchOf(
                    pair,
                    Array.from({ length: count }, (_, n) => `${baseSequence + n}`),
                    {
                      producerId: producerId ?? ids[side.name].producerId,
                      producerEpoch,
                      baseSequence,
                    },
                  ),
                },
              ],
            },
          ],
        }));
      await write(0, 2);
      await write(0, 2);
      await write(2, 3);
      await write(2, 3);
      await write(3, 2);
      await write(7);
      await write(5);
      await write(6, 1, 1);
      await write(0, 1, 1);
      await write(1, 1, 0);
      await write(0, 1, -1);
      await write(-1, 1, 1);
      await write(5, 1, 0, 987_654n);
      await write(0, 1, 0, 987_655n);
      await pair.ask('DescribeProducers', { topics: [{ name: topic, partitionIndexes: [0] }] });
      await fetch(pair, { topic });
    },
  },
  {
    name: 'records are read',
    api: 'Fetch',
    async run(pair) {
      const topic = await pair.topic('read', 2);
      for (const values of [['a', 'b', 'c'], ['d'], ['e', 'f']])
        await produce(pair, { topic, records: batchOf(pair, values) });
      for (const offset of [0n, 2n, 3n, 5n, 6n, 7n, -1n, -2n, 2n ** 62n])
        await fetch(pair, { topic, offset });
      for (const partition of [1, 2, -1]) await fetch(pair, { topic, partition });
      for (const maxBytes of [1, 100, 0, -1]) await fetch(pair, { topic, maxBytes });
      for (const isolationLevel of [0, 1, 2, -1]) await fetch(pair, { topic, isolationLevel });
      await pair.ask('Fetch', (_, version) => ({
        maxWaitMs: 10,
        minBytes: 1,
        topics: [`${pair.prefix}-absent`].map((name) => ({
          ...(version < 13 ? { topic: name } : { topicId: Buffer.alloc(16, 9).toString('base64url') }),
          partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1000 }],
        })),
        ...(version >= 7 && { forgottenTopicsData: [] }),
      }));
      for (const currentLeaderEpoch of [0, 5]) {
        await pair.ask('Fetch', (side, version) => ({
          maxWaitMs: 10,
          minBytes: 1,
          topics: [
            {
              ...(version < 13 ? { topic } : { topicId: side.topicId(topic) }),
              partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1000, currentLeaderEpoch }],
            },
          ],
          ...(version >= 7 && { forgottenTopicsData: [] }),
        }));
      }
      await pair.during('as replicas do', async () => {
        for (const [lastFetchedEpoch, fetchOffset] of [
          [0, 3n],
          [0, 9n],
          [5, 3n],
        ] as const) {
          await pair.ask('Fetch', (side, version) => ({
            maxWaitMs: 10,
            minBytes: 1,
            topics: [
              {
                ...(version < 13 ? { topic } : { topicId: side.topicId(topic) }),
                partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 1000, lastFetchedEpoch }],
              },
            ],
            ...(version >= 7 && { forgottenTopicsData: [] }),
          }));
        }
      });
      await pair.ask('DeleteRecords', {
        topics: [{ name: topic, partitions: [{ partitionIndex: 0, offset: 3n }] }],
        timeoutMs: 10_000,
      });
      for (const offset of [0n, 3n, 4n]) await fetch(pair, { topic, offset });
      await pair.during('sizes after deletions', () =>
        pair.ask('DescribeLogDirs', { topics: [{ topic, partitions: [0] }] }),
      );
    },
  },
  {
    name: 'a fetch session',
    api: 'Fetch',
    async run(pair) {
      const topic = await pair.topic('session', 2);
      await produce(pair, { topic, records: batchOf(pair, ['a']) });
      const sessions = { apache: 0, weir: 0 };
      const ask = async (
        sessionEpoch: number,
        partitions: readonly number[],
        forgotten: readonly number[] = [],
        sessionId?: number,
      ) => {
        const answers = await pair.ask('Fetch', (side, version) => {
          const name = version < 13 ? { topic } : { topicId: side.topicId(topic) };
          return {
            maxWaitMs: 10,
            minBytes: 1,
            sessionId: sessionId ?? sessions[side.name],
            sessionEpoch,
            topics:
              partitions.length === 0
                ? []
                : [
                    {
                      ...name,
                      partitions: partitions.map((partition) => ({
                        partition,
                        fetchOffset: 0n,
                        partitionMaxBytes: 10_000,
                      })),
                    },
                  ],
            ...(version >= 7 && {
              forgottenTopicsData: forgotten.length === 0 ? [] : [{ ...name, partitions: forgotten }],
            }),
          };
        });
        if (answers !== undefined && sessionEpoch === 0) {
          sessions.apache = answers.apache.sessionId;
          sessions.weir = answers.weir.sessionId;
        }
      };
      if (pair.versionOf('Fetch') < 7) return;
      await ask(0, [0, 1]);
      await ask(1, []);
      await produce(pair, { topic, records: batchOf(pair, ['b']), partition: 1 });
      await ask(2, []);
      await ask(3, [], [0]);
      await ask(3, []);
      await ask(9, []);
      await ask(4, [0]);
      await ask(1, [], [], 123_456);
      await ask(-1, []);
      await ask(5, []);
    },
  },
  {
    name: 'offsets by time',
    api: 'ListOffsets',
    async run(pair) {
      const topic = await pair.topic('by-time', 2);
      await produce(pair, { topic, records: batchOf(pair, ['a', 'b', 'c']) });
      await produce(pair, { topic, records: batchOf(pair, ['d', 'e']) });
      const at = (timestamp: bigint, partitionIndex = 0, name = topic, currentLeaderEpoch = -1) =>
        pair.ask('ListOffsets', {
          replicaId: -1,
          topics: [{ name, partitions: [{ partitionIndex, timestamp, currentLeaderEpoch }] }],
        });
      for (const timestamp of [-1n, -2n, -3n, -4n, -5n, -6n, -7n, -100n]) await at(timestamp);
      for (const timestamp of [0n, 1n, 2n, 3n, 600_000n]) await at(pair.recordTimeMs + timestamp);
      await at(0n);
      await at(-1n, 1);
      await at(pair.recordTimeMs, 1);
      await at(-3n, 1);
      await at(-1n, 2);
      await at(-1n, -1);
      await at(-1n, 0, `${pair.prefix}-absent`);
      await at(-1n, 0, '');
      for (const epoch of [0, 1, 7]) await at(-1n, 0, topic, epoch);
      for (const isolationLevel of [0, 1, 5]) {
        await pair.ask('ListOffsets', {
          replicaId: -1,
          isolationLevel,
          topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
        });
      }
      await pair.ask('ListOffsets', {
        replicaId: -1,
        topics: [topic, topic].map((name) => ({ name, partitions: [{ partitionIndex: 0, timestamp: -1n }] })),
      });
      await pair.ask('DeleteRecords', {
        topics: [{ name: topic, partitions: [{ partitionIndex: 0, offset: 2n }] }],
        timeoutMs: 10_000,
      });
      for (const timestamp of [-1n, -2n, -3n, -4n, pair.recordTimeMs]) await at(timestamp);
    },
  },
  {
    name: 'ends of leader epochs',
    api: 'OffsetForLeaderEpoch',
    async run(pair) {
      const topic = await pair.topic('epochs');
      await produce(pair, { topic, records: batchOf(pair, ['a', 'b']) });
      const at = (leaderEpoch: number, currentLeaderEpoch = -1, name = topic, partition = 0) =>
        pair.ask('OffsetForLeaderEpoch', {
          replicaId: -1,
          topics: [{ topic: name, partitions: [{ partition, leaderEpoch, currentLeaderEpoch }] }],
        });
      for (const epoch of [0, 1, -1, 100]) await at(epoch);
      for (const current of [0, 1]) await at(0, current);
      await at(0, -1, topic, 3);
      await at(0, -1, `${pair.prefix}-absent`);
    },
  },
  {
    name: 'producers of partitions',
    api: 'DescribeProducers',
    async run(pair) {
      const topic = await pair.topic('producers', 2);
      await produce(pair, { topic, records: batchOf(pair, ['a']) });
      for (const [name, partitionIndexes] of [
        [topic, [0, 1]],
        [topic, [2, -1]],
        [topic, []],
        [`${pair.prefix}-absent`, [0]],
        ['', [0]],
      ] as const) {
        await pair.ask('DescribeProducers', { topics: [{ name, partitionIndexes }] });
      }
    },
  },
];
