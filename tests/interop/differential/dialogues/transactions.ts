import type { Pair } from '../pair.ts';
import type { SideName } from '../side.ts';
import { batchOf, type Dialogue, fetch, produce } from './dialogue.ts';

type Ids = Readonly<Record<SideName, { readonly producerId: bigint; readonly producerEpoch: number }>>;

function begin(pair: Pair, transactionalId: string, transactionTimeoutMs = 60_000, ids?: Ids) {
  return pair.ask('InitProducerId', (side) => ({
    transactionalId,
    transactionTimeoutMs,
    ...(ids && { producerId: ids[side.name].producerId, producerEpoch: ids[side.name].producerEpoch }),
  }));
}

/** Transactions: their producers, partitions, offsets, ends and descriptions. */
export const transactionDialogues: readonly Dialogue[] = [
  ...(
    [
      'InitProducerId',
      'AddPartitionsToTxn',
      'AddOffsetsToTxn',
      'TxnOffsetCommit',
      'EndTxn',
      'DescribeTransactions',
      'ListTransactions',
      'DescribeProducers',
      'Fetch',
      'ListOffsets',
    ] as const
  ).map((api): Dialogue => ({ name: 'the life of a transaction', api, run: lifeOfTransaction })),
  {
    name: 'what gets no producer id',
    api: 'InitProducerId',
    async run(pair) {
      const transactionalId = `${pair.prefix}-id`;
      for (const timeoutMs of [0, -1, 900_001]) await begin(pair, transactionalId, timeoutMs);
      await pair.ask('InitProducerId', { transactionalId: '', transactionTimeoutMs: 60_000 });
      await pair.ask('InitProducerId', { transactionalId: null, transactionTimeoutMs: -1 });
      for (const [producerId, producerEpoch] of [
        [5n, -1],
        [-1n, 5],
        [5n, 5],
      ] as const) {
        for (const id of [transactionalId, null]) {
          await pair.ask('InitProducerId', {
            transactionalId: id,
            transactionTimeoutMs: 60_000,
            producerId,
            producerEpoch,
          });
        }
      }
      const first = await begin(pair, transactionalId);
      if (first === undefined) return;
      const second = await begin(pair, transactionalId, 60_000, first);
      if (second === undefined) return;
      await begin(pair, transactionalId, 60_000, first);
      await begin(pair, transactionalId, 60_000, second);
    },
  },
  {
    name: 'markers of transactions',
    api: 'WriteTxnMarkers',
    async run(pair) {
      const topic = await pair.topic('marked');
      const transactionalId = `${pair.prefix}-id`;
      await pair.ask('WriteTxnMarkers', { markers: [] });
      const ids = await begin(pair, transactionalId);
      if (ids === undefined) return;
      await addPartitions(pair, transactionalId, ids, topic, [0]);
      await pair.ask('Produce', (side, version) => ({
        transactionalId,
        acks: -1,
        timeoutMs: 10_000,
        topicData: [
          {
            ...(version < 13 ? { name: topic } : { topicId: side.topicId(topic) }),
            partitionData: [
              {
                index: 0,
                records: batchOf(pair, ['a'], {
                  ...ids[side.name],
                  baseSequence: 0,
                  isTransactional: true,
                }),
              },
            ],
          },
        ],
      }));
      await pair.ask('WriteTxnMarkers', (side) => ({
        markers: [
          {
            ...ids[side.name],
            transactionResult: false,
            topics: [{ name: topic, partitionIndexes: [0] }],
            coordinatorEpoch: 0,
          },
        ],
      }));
      await fetch(pair, { topic, isolationLevel: 1 });
      await pair.during('sizes with markers', () =>
        pair.ask('DescribeLogDirs', { topics: [{ topic, partitions: [0] }] }),
      );
    },
  },
];

function addPartitions(
  pair: Pair,
  transactionalId: string,
  ids: Ids,
  topic: string,
  partitions: readonly number[],
) {
  return pair.ask('AddPartitionsToTxn', (side, version) => {
    const { producerId, producerEpoch } = ids[side.name];
    const topics = [{ name: topic, partitions }];
    return version < 4
      ? {
          v3AndBelowTransactionalId: transactionalId,
          v3AndBelowProducerId: producerId,
          v3AndBelowProducerEpoch: producerEpoch,
          v3AndBelowTopics: topics,
        }
      : { transactions: [{ transactionalId, producerId, producerEpoch, topics }] };
  });
}

async function lifeOfTransaction(pair: Pair): Promise<void> {
  const topic = await pair.topic('written', 2);
  const transactionalId = `${pair.prefix}-id`;
  const groupId = `${pair.prefix}-group`;
  const strangers: Ids = {
    apache: { producerId: 987_654n, producerEpoch: 0 },
    weir: { producerId: 987_654n, producerEpoch: 0 },
  };
  let ids = await begin(pair, transactionalId);
  if (ids === undefined) return;
  let epochs: Ids = ids;
  const describe = async () => {
    await pair.ask('DescribeTransactions', { transactionalIds: [transactionalId] });
    await pair.ask('DescribeProducers', { topics: [{ name: topic, partitionIndexes: [0] }] });
  };
  const write = (value: string, baseSequence: number) =>
    pair.ask('Produce', (side, version) => ({
      transactionalId,
      acks: -1,
      timeoutMs: 10_000,
      topicData: [
        {
          ...(version < 13 ? { name: topic } : { topicId: side.topicId(topic) }),
          partitionData: [
            {
              index: 0,
              records: batchOf(pair, [value], {
                ...epochs[side.name],
                baseSequence,
                isTransactional: true,
              }),
            },
          ],
        },
      ],
    }));
  const end = (committed: boolean, of: Ids = epochs, id = transactionalId) =>
    pair.ask('EndTxn', (side) => ({ transactionalId: id, ...of[side.name], committed }));
  /** Ends, and keeps the epoch that EndTxn v5 gives the next transaction. */
  const finish = async (committed: boolean) => {
    const ended = await end(committed);
    if (ended === undefined || ended.apache.producerEpoch < 0) return;
    epochs = ended;
  };
  await end(true, strangers);
  await end(true, strangers, `${transactionalId}-absent`);
  await end(false, epochs, '');
  await describe();
  await addPartitions(pair, transactionalId, strangers, topic, [0]);
  await addPartitions(pair, `${transactionalId}-absent`, epochs, topic, [0]);
  await addPartitions(pair, transactionalId, epochs, topic, [0, 7]);
  await addPartitions(pair, transactionalId, epochs, `${pair.prefix}-absent`, [0]);
  await addPartitions(pair, transactionalId, epochs, topic, [0, 1]);
  await addPartitions(pair, transactionalId, epochs, topic, [0]);
  await write('a', 0);
  await describe();
  for (const isolationLevel of [0, 1]) {
    await fetch(pair, { topic, isolationLevel });
    await pair.ask('ListOffsets', {
      replicaId: -1,
      isolationLevel,
      topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp: -1n }] }],
    });
  }
  const offsets = (of: Ids, more: object = {}) =>
    pair.ask('TxnOffsetCommit', (side) => ({
      transactionalId,
      groupId,
      ...of[side.name],
      topics: [
        {
          name: topic,
          partitions: [0, 9].map((partitionIndex) => ({
            partitionIndex,
            committedOffset: 4n,
            committedMetadata: 'note',
          })),
        },
        {
          name: `${pair.prefix}-absent`,
          partitions: [{ partitionIndex: 0, committedOffset: 4n, committedMetadata: null }],
        },
      ],
      ...more,
    }));
  const addOffsets = (of: Ids, id = transactionalId, group = groupId) =>
    pair.ask('AddOffsetsToTxn', (side) => ({ transactionalId: id, ...of[side.name], groupId: group }));
  await addOffsets(strangers);
  await addOffsets(epochs, `${transactionalId}-absent`);
  await addOffsets(epochs);
  await addOffsets(epochs);
  await offsets(epochs);
  await offsets(epochs, { generationId: 5, memberId: 'stranger' });
  await offsets(strangers);
  const fetched = (requireStable: boolean) =>
    pair.ask('OffsetFetch', (side) => ({
      groups: [{ groupId, topics: [{ topicId: side.topicId(topic), partitionIndexes: [0] }] }],
      requireStable,
    }));
  await fetched(false);
  await fetched(true);
  await finish(true);
  await fetched(true);
  await describe();
  await fetch(pair, { topic, isolationLevel: 1 });
  await addPartitions(pair, transactionalId, epochs, topic, [0]);
  await describe();
  await finish(false);
  await describe();
  await fetch(pair, { topic, isolationLevel: 1 });
  for (const stateFilters of [['Ongoing'], ['CompleteAbort'], ['nonsense'], []]) {
    await pair.ask('ListTransactions', {
      stateFilters,
      producerIdFilters: [],
      ...(pair.versionOf('ListTransactions') >= 2 && { transactionalIdPattern: `${pair.prefix}.*` }),
    });
  }
  for (const transactionalIdPattern of ['', '(', transactionalId]) {
    await pair.ask('ListTransactions', { stateFilters: [], producerIdFilters: [], transactionalIdPattern });
  }
  await pair.ask('DescribeTransactions', { transactionalIds: [`${transactionalId}-absent`, ''] });
  const before = epochs;
  ids = await begin(pair, transactionalId);
  if (ids === undefined) return;
  epochs = ids;
  await end(true, before);
  await addPartitions(pair, transactionalId, before, topic, [0]);
  await addOffsets(before);
  await offsets(before);
  await describe();
  await produce(pair, { topic, records: batchOf(pair, ['plain']) });
}
