import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weir/core/testing';
import type { ErrorName } from '@weir/wire';
import { batchOf, produceRequest } from '../../testing/data-path.ts';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered } from '../../testing/test-agent-server.ts';
import { errorName, fetchOnce, TransactionalProducer } from '../../testing/transactional-client.ts';
import { brokerLimits } from '../limits.ts';

/** Answers of each version of each API about transactions. Whole transactions are in transactions.test.ts. */

async function producerOf(agent: LeaderAgent, transactionalId: string) {
  const producer = new TransactionalProducer(agent, transactionalId, 'bumping');
  assert.equal(await producer.init(), 'NONE');
  return producer;
}

/** Two producers of one transactional id, of which only the second is valid. */
async function fenced(agent: LeaderAgent, transactionalId: string) {
  const zombie = await producerOf(agent, transactionalId);
  const { producerId, producerEpoch } = await producerOf(agent, transactionalId);
  const { producerEpoch: oldEpoch } = zombie;
  return { transactionalId, producerId, producerEpoch, oldEpoch };
}

/** `from` is the first version with PRODUCER_FENCED; earlier ones return INVALID_PRODUCER_EPOCH. */
const fencedIn = (version: number, from: number): ErrorName =>
  version >= from ? 'PRODUCER_FENCED' : 'INVALID_PRODUCER_EPOCH';

test('InitProducerId: v0 to v5', async () => {
  await using agent = await startLeaderAgent();
  const init = async (
    version: number,
    request: { transactionTimeoutMs?: number; producerId?: bigint; producerEpoch?: number },
  ) =>
    answered(
      await agent.call('InitProducerId', version, {
        transactionalId: 'tx',
        transactionTimeoutMs: 60_000,
        ...request,
      }),
    );
  const first = await init(0, {});
  assert.deepEqual([first.errorCode, first.producerEpoch], [0, 0]);
  let epoch = 0;
  for (const version of [0, 1, 2, 3, 4, 5]) {
    const { errorCode, producerId, producerEpoch } = await init(version, {});
    assert.deepEqual([errorCode, producerId, producerEpoch], [0, first.producerId, ++epoch]);
    for (const transactionTimeoutMs of [0, -1, 900_001]) {
      const { errorCode } = await init(version, { transactionTimeoutMs });
      assert.equal(errorName(errorCode), 'INVALID_TRANSACTION_TIMEOUT');
    }
    if (version < 3) continue;
    const own = await init(version, { producerId: first.producerId, producerEpoch });
    assert.deepEqual([errorName(own.errorCode), own.producerEpoch], ['NONE', ++epoch]);
    for (const wrong of [
      { producerId: first.producerId, producerEpoch: 0 },
      { producerId: first.producerId + 1n, producerEpoch: epoch },
    ]) {
      assert.equal(errorName((await init(version, wrong)).errorCode), fencedIn(version, 4));
    }
  }
});

test('AddPartitionsToTxn: v0 to v3', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', 2);
  for (const version of [0, 1, 2, 3]) {
    const { transactionalId, producerId, producerEpoch, oldEpoch } = await fenced(agent, `tx-${version}`);
    const cases: [id: string, producerId: bigint, epoch: number, error: ErrorName][] = [
      [transactionalId, producerId, producerEpoch, 'NONE'],
      [transactionalId, producerId, oldEpoch, fencedIn(version, 2)],
      [transactionalId, producerId + 1n, producerEpoch, 'INVALID_PRODUCER_ID_MAPPING'],
      ['nobody', producerId, producerEpoch, 'INVALID_PRODUCER_ID_MAPPING'],
    ];
    for (const [v3AndBelowTransactionalId, v3AndBelowProducerId, v3AndBelowProducerEpoch, error] of cases) {
      const { resultsByTopicV3AndBelow } = answered(
        await agent.call('AddPartitionsToTxn', version, {
          v3AndBelowTransactionalId,
          v3AndBelowProducerId,
          v3AndBelowProducerEpoch,
          v3AndBelowTopics: [{ name: 't', partitions: [1, 0] }],
        }),
      );
      assert.deepEqual(
        resultsByTopicV3AndBelow.flatMap(({ resultsByPartition }) =>
          resultsByPartition.map((one) => [one.partitionIndex, errorName(one.partitionErrorCode)]),
        ),
        [
          [1, error],
          [0, error],
        ],
      );
    }
  }
});

test('AddPartitionsToTxn: v4 and v5 add to many transactions, or ask about them', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', 3);
  for (const version of [4, 5]) {
    const one = await fenced(agent, `one-${version}`);
    const two = await fenced(agent, `two-${version}`);
    const outside = version === 4 ? 'INVALID_TXN_STATE' : 'TRANSACTION_ABORTABLE';
    const ask = async (
      verifyOnly: boolean,
      rows: readonly (readonly [id: string, producerId: bigint, epoch: number, partitions: number[]])[],
    ) =>
      answered(
        await agent.call('AddPartitionsToTxn', version, {
          transactions: rows.map(([transactionalId, producerId, producerEpoch, partitions]) => ({
            ...{ transactionalId, producerId, producerEpoch, verifyOnly },
            topics: [{ name: 't', partitions }],
          })),
        }),
      ).resultsByTransaction.map(({ transactionalId, topicResults }) => [
        transactionalId,
        topicResults.flatMap(({ resultsByPartition }) =>
          resultsByPartition.map(({ partitionErrorCode }) => errorName(partitionErrorCode)),
        ),
      ]);
    const rowOf = ({ transactionalId, producerId, producerEpoch }: typeof one, ...partitions: number[]) =>
      [transactionalId, producerId, producerEpoch, partitions] as const;
    assert.deepEqual(
      await ask(false, [rowOf(one, 0, 1), rowOf(two, 2), rowOf({ ...two, producerEpoch: two.oldEpoch }, 0)]),
      [
        [one.transactionalId, ['NONE', 'NONE']],
        [two.transactionalId, ['NONE']],
        [two.transactionalId, ['PRODUCER_FENCED']],
      ],
    );
    assert.deepEqual(await ask(false, [rowOf(one, 2, 7)]), [
      [one.transactionalId, ['OPERATION_NOT_ATTEMPTED', 'UNKNOWN_TOPIC_OR_PARTITION']],
    ]);
    assert.deepEqual(
      await ask(true, [
        rowOf(one, 0, 2, 7),
        rowOf(one, 0, 2),
        rowOf(two, 2),
        rowOf({ ...two, producerEpoch: two.oldEpoch }, 2),
        ['missing', one.producerId, 0, [0]],
      ]),
      [
        [
          one.transactionalId,
          ['OPERATION_NOT_ATTEMPTED', 'OPERATION_NOT_ATTEMPTED', 'UNKNOWN_TOPIC_OR_PARTITION'],
        ],
        [one.transactionalId, ['NONE', outside]],
        [two.transactionalId, ['NONE']],
        [two.transactionalId, ['PRODUCER_FENCED']],
        ['missing', ['INVALID_PRODUCER_ID_MAPPING']],
      ],
    );
    const many = Array.from({ length: brokerLimits.transactionsPerRequestMax + 1 }, () => rowOf(one, 0));
    const answers = await ask(true, many);
    assert.deepEqual(answers[0], [one.transactionalId, ['NONE']]);
    assert.deepEqual(answers.at(-1), [one.transactionalId, ['COORDINATOR_LOAD_IN_PROGRESS']]);
  }
});

test('AddPartitionsToTxn without partitions does not reveal whether a topic exists', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', 1);
  const producer = await producerOf(agent, 'tx');
  const ask = async (name: string, transactionalId: string) =>
    answered(
      await agent.call('AddPartitionsToTxn', 3, {
        v3AndBelowTransactionalId: transactionalId,
        v3AndBelowProducerId: producer.producerId,
        v3AndBelowProducerEpoch: producer.producerEpoch,
        v3AndBelowTopics: [{ name, partitions: [] }],
      }),
    ).resultsByTopicV3AndBelow;
  for (const name of ['t', 'nothing']) {
    for (const transactionalId of ['tx', 'nobody']) {
      assert.deepEqual(await ask(name, transactionalId), [{ name, resultsByPartition: [] }]);
    }
  }
});

test('AddOffsetsToTxn: v0 to v4', async () => {
  await using agent = await startLeaderAgent();
  for (const version of [0, 1, 2, 3, 4]) {
    const { transactionalId, producerId, producerEpoch, oldEpoch } = await fenced(agent, `tx-${version}`);
    const cases: [id: string, epoch: number, error: ErrorName][] = [
      [transactionalId, producerEpoch, 'NONE'],
      [transactionalId, oldEpoch, fencedIn(version, 2)],
      ['nobody', producerEpoch, 'INVALID_PRODUCER_ID_MAPPING'],
    ];
    for (const [id, epoch, error] of cases) {
      const request = { transactionalId: id, producerId, producerEpoch: epoch, groupId: 'g' };
      const { errorCode } = answered(await agent.call('AddOffsetsToTxn', version, request));
      assert.equal(errorName(errorCode), error, `v${version}`);
    }
  }
});

test('EndTxn: v0 to v5', async () => {
  await using agent = await startLeaderAgent();
  for (const version of [0, 1, 2, 3, 4, 5]) {
    const { transactionalId, producerId, producerEpoch } = await producerOf(agent, `tx-${version}`);
    const connection = new AbortController().signal;
    const groups = { transactionalId, producerId, producerEpoch, groupId: 'g' };
    const added = answered(await agent.call('AddOffsetsToTxn', 3, groups, 'test', connection));
    assert.equal(added.errorCode, 0);
    const end = async (epoch: number, committed: boolean, id = transactionalId) => {
      const request = { transactionalId: id, producerId, producerEpoch: epoch, committed };
      const answer = answered(await agent.call('EndTxn', version, request, 'test', connection));
      return [errorName(answer.errorCode), answer.producerId, answer.producerEpoch] as const;
    };
    const isBumping = version >= 5;
    const expectedProducer = isBumping ? [producerId, producerEpoch + 1] : [-1n, -1];
    assert.deepEqual(await end(producerEpoch, true, 'nobody'), ['INVALID_PRODUCER_ID_MAPPING', -1n, -1]);
    assert.deepEqual((await end(producerEpoch + 5, true))[0], fencedIn(version, 2));
    assert.deepEqual(await end(producerEpoch, true), ['NONE', ...expectedProducer]);
    assert.deepEqual(await end(producerEpoch, true), ['NONE', ...expectedProducer], 'a repeated EndTxn');
    assert.deepEqual((await end(producerEpoch, false))[0], 'INVALID_TXN_STATE');
  }
});

test('EndTxn without a transaction: an abort succeeds only in the new protocol', async () => {
  await using agent = await startLeaderAgent();
  for (const [version, committed, error] of [
    [4, true, 'INVALID_TXN_STATE'],
    [4, false, 'INVALID_TXN_STATE'],
    [5, true, 'INVALID_TXN_STATE'],
    [5, false, 'NONE'],
  ] as const) {
    const { transactionalId, producerId, producerEpoch } = await producerOf(
      agent,
      `tx-${version}-${committed}`,
    );
    const request = { transactionalId, producerId, producerEpoch, committed };
    const { errorCode } = answered(await agent.call('EndTxn', version, request));
    assert.equal(errorName(errorCode), error, `v${version} ${committed}`);
  }
});

test('TxnOffsetCommit: v0 to v5', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  for (const version of [0, 1, 2, 3, 4, 5]) {
    const { transactionalId, producerId, producerEpoch, oldEpoch } = await fenced(agent, `tx-${version}`);
    const commit = async (
      epoch: number,
      more: { generationId?: number; memberId?: string; groupId?: string } = {},
      id = transactionalId,
    ) => {
      const { topics } = answered(
        await agent.call('TxnOffsetCommit', version, {
          transactionalId: id,
          groupId: 'g',
          producerId,
          producerEpoch: epoch,
          ...more,
          topics: [
            {
              name: 't',
              partitions: [0, 5].map((partitionIndex) => ({
                partitionIndex,
                committedOffset: 3n,
                committedMetadata: null,
              })),
            },
          ],
        }),
      );
      return topics[0]!.partitions.map(({ errorCode }) => errorName(errorCode));
    };
    const unknown = 'UNKNOWN_TOPIC_OR_PARTITION';
    const isOpen = version >= 5 ? 'NONE' : version >= 4 ? 'TRANSACTION_ABORTABLE' : 'INVALID_TXN_STATE';
    assert.deepEqual(await commit(producerEpoch), [isOpen, unknown], `v${version}`);
    const groups = { transactionalId, producerId, producerEpoch, groupId: 'g' };
    assert.equal(answered(await agent.call('AddOffsetsToTxn', 3, groups)).errorCode, 0);
    assert.deepEqual(await commit(producerEpoch), ['NONE', unknown]);
    assert.deepEqual(await commit(oldEpoch), ['INVALID_PRODUCER_EPOCH', unknown]);
    assert.deepEqual(await commit(producerEpoch, {}, 'nobody'), ['INVALID_PRODUCER_ID_MAPPING', unknown]);
    if (version >= 3) {
      // The offsets of the transaction make a group without members.
      const member = { generationId: 4, memberId: 'somebody' };
      assert.deepEqual(await commit(producerEpoch, member), ['UNKNOWN_MEMBER_ID', unknown]);
      const refused = await commit(producerEpoch, { ...member, groupId: 'nobody' });
      assert.deepEqual(refused, ['ILLEGAL_GENERATION', unknown]);
    }
  }
});

test('Produce: outcome of a transactional batch, by version', async () => {
  await using agent = await startLeaderAgent();
  const { topicId } = await agent.addTopic('t');
  for (let version = 3; version <= 13; version++) {
    const { transactionalId, producerId, producerEpoch, oldEpoch } = await fenced(agent, `tx-${version}`);
    const produce = async (fields: {
      id?: string | null;
      producerId?: bigint;
      epoch?: number;
      isTransactional?: boolean;
    }) => {
      const { id = transactionalId, epoch = producerEpoch, isTransactional = true } = fields;
      const batch = batchOf(['a'], {
        producerId: fields.producerId ?? producerId,
        producerEpoch: epoch,
        baseSequence: 0,
        isTransactional,
      });
      const { responses } = answered(
        await agent.call('Produce', version, {
          transactionalId: id,
          acks: -1,
          timeoutMs: 30_000,
          topicData: [{ name: 't', topicId, partitionData: [{ index: 0, records: [batch] }] }],
        }),
      );
      return errorName(responses[0]!.partitionResponses[0]!.errorCode);
    };
    assert.equal(await produce({ id: null }), 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED');
    assert.equal(await produce({ id: 'nobody' }), 'INVALID_PRODUCER_ID_MAPPING');
    assert.equal(await produce({ id: 'x'.repeat(30_000) }), 'INVALID_PRODUCER_ID_MAPPING');
    assert.equal(await produce({ producerId: producerId + 1000n }), 'INVALID_PRODUCER_ID_MAPPING');
    assert.equal(await produce({ epoch: oldEpoch }), 'INVALID_PRODUCER_EPOCH');
    const unannounced =
      version >= 12 ? 'NONE' : version >= 11 ? 'TRANSACTION_ABORTABLE' : 'INVALID_TXN_STATE';
    assert.equal(await produce({}), unannounced, `v${version}`);
    if (version < 12) continue;
    assert.equal(
      await produce({ isTransactional: false }),
      'INVALID_TXN_STATE',
      'while its transaction is open',
    );
  }
});

test('Produce: a request without its transactional id is refused as a whole', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', 2);
  const { responses } = answered(
    await agent.call(
      'Produce',
      9,
      produceRequest('t', [
        batchOf(['plain']),
        batchOf(['x'], { producerId: 1n, producerEpoch: 0, baseSequence: 0, isTransactional: true }),
      ]),
    ),
  );
  assert.deepEqual(
    responses[0]!.partitionResponses.map(({ errorCode }) => errorName(errorCode)),
    ['TRANSACTIONAL_ID_AUTHORIZATION_FAILED', 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'],
  );
  assert.equal((await fetchOnce(agent, 't', { committed: false })).highWatermark, 0n);
});

test('Produce: a request with a transactional id may have batches that are not transactional', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  const { responses } = answered(
    await agent.call('Produce', 9, produceRequest('t', [batchOf(['plain'])], 'tx')),
  );
  assert.equal(responses[0]!.partitionResponses[0]!.errorCode, 0);
});

test('Fetch and ListOffsets: the last stable offset, in every version', async () => {
  await using agent = await startLeaderAgent();
  const { topicId } = await agent.addTopic('t');
  const first = await producerOf(agent, 'first');
  const second = await producerOf(agent, 'second');
  assert.equal(await first.send('t', 0, 'a', 'b'), 'NONE');
  assert.equal(await first.end(true), 'NONE');
  assert.equal(await second.send('t', 0, 'c'), 'NONE');
  await until(() => agent.view.ends(topicId, 0)!.lastStableOffset === 3);
  for (let version = 4; version <= 18; version++) {
    const committed = await fetchOnce(agent, 't', { committed: true, version });
    assert.deepEqual([committed.values, committed.aborted], [['a', 'b'], []], `v${version}`);
    const all = await fetchOnce(agent, 't', { committed: false, version });
    assert.deepEqual([all.values, all.aborted], [['a', 'b', 'c'], null], `v${version}`);
    for (const { lastStableOffset, highWatermark } of [committed, all]) {
      assert.deepEqual([lastStableOffset, highWatermark], [3n, 4n], `v${version}`);
    }
  }
  const offsetAt = async (version: number, isolationLevel: number, timestamp: bigint) => {
    const partitions = [{ partitionIndex: 0, timestamp }];
    const request = { replicaId: -1, isolationLevel, topics: [{ name: 't', partitions }] };
    return answered(await agent.call('ListOffsets', version, request)).topics[0]!.partitions[0]!.offset;
  };
  for (let version = 1; version <= 11; version++) {
    // Version 1 has no isolation level.
    if (version >= 2) assert.equal(await offsetAt(version, 1, -1n), 3n, `v${version}`);
    assert.equal(await offsetAt(version, 0, -1n), 4n, `v${version}`);
  }
  // All records have the time 1,000 ms. The markers, which are not records, are later.
  assert.deepEqual([await offsetAt(7, 0, -3n), await offsetAt(7, 1, -3n)], [0n, 0n]);
  assert.deepEqual([await offsetAt(7, 0, 1_000n), await offsetAt(7, 1, 1_000n)], [0n, 0n]);
  assert.deepEqual([await offsetAt(7, 0, 1_001n), await offsetAt(7, 1, 1_001n)], [-1n, -1n]);
});

test('ListOffsets: read_committed does not find a time that only an open transaction has', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  const producer = await producerOf(agent, 'tx');
  assert.equal(await producer.send('t', 0, 'a'), 'NONE');
  const offsetAt = async (isolationLevel: number, timestamp: bigint) => {
    const partitions = [{ partitionIndex: 0, timestamp }];
    const request = { replicaId: -1, isolationLevel, topics: [{ name: 't', partitions }] };
    return answered(await agent.call('ListOffsets', 8, request)).topics[0]!.partitions[0]!.offset;
  };
  assert.deepEqual([await offsetAt(0, 5n), await offsetAt(1, 5n)], [0n, -1n]);
  assert.deepEqual([await offsetAt(0, -3n), await offsetAt(1, -3n)], [0n, -1n]);
  assert.equal(await producer.end(true), 'NONE');
  assert.deepEqual([await offsetAt(0, 5n), await offsetAt(1, 5n)], [0n, 0n]);
  assert.deepEqual([await offsetAt(0, -3n), await offsetAt(1, -3n)], [0n, 0n]);
});

test('DescribeTransactions, ListTransactions and DescribeProducers', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', 2);
  const open = await producerOf(agent, 'open');
  const idle = await producerOf(agent, 'idle');
  assert.equal(await open.send('t', 1, 'a', 'b'), 'NONE');

  const { transactionStates } = answered(
    await agent.call('DescribeTransactions', 0, { transactionalIds: ['open', 'nobody', 'idle', ''] }),
  );
  assert.deepEqual(
    transactionStates.map((one) => [
      one.transactionalId,
      errorName(one.errorCode),
      one.transactionState,
      one.producerId,
      one.topics.map(({ topic, partitions }) => [topic, ...partitions]),
    ]),
    [
      ['open', 'NONE', 'Ongoing', open.producerId, [['t', 1]]],
      ['nobody', 'TRANSACTIONAL_ID_NOT_FOUND', '', 0n, []],
      ['idle', 'NONE', 'Empty', idle.producerId, []],
      ['', 'INVALID_REQUEST', '', 0n, []],
    ],
  );

  const list = async (version: number, filter: object) => {
    const request = { stateFilters: [], producerIdFilters: [], ...filter };
    const answer = answered(await agent.call('ListTransactions', version, request));
    assert.equal(answer.errorCode === 0 || answer.transactionStates.length === 0, true);
    return answer.errorCode === 0
      ? answer.transactionStates.map(({ transactionalId }) => transactionalId).sort()
      : errorName(answer.errorCode);
  };
  for (const version of [0, 1, 2]) {
    assert.deepEqual(await list(version, {}), ['idle', 'open']);
    assert.deepEqual(await list(version, { stateFilters: ['Ongoing'] }), ['open']);
    assert.deepEqual(await list(version, { stateFilters: ['PrepareCommit'] }), []);
    assert.deepEqual(await list(version, { stateFilters: ['Nonsense'] }), []);
    assert.deepEqual(await list(version, { producerIdFilters: [idle.producerId] }), ['idle']);
    if (version >= 1) assert.deepEqual(await list(version, { durationFilter: 3_600_000n }), []);
    if (version < 2) continue;
    assert.deepEqual(await list(version, { transactionalIdPattern: 'o.*' }), ['open']);
    for (const transactionalIdPattern of ['(', '.{0,999}'.repeat(455)]) {
      assert.deepEqual(await list(version, { transactionalIdPattern }), 'INVALID_REGULAR_EXPRESSION');
    }
  }

  const { topics } = answered(
    await agent.call('DescribeProducers', 0, {
      topics: [
        { name: 't', partitionIndexes: [0, 1, 7] },
        { name: 'nothing', partitionIndexes: [0] },
      ],
    }),
  );
  assert.deepEqual(
    topics.flatMap(({ name, partitions }) =>
      partitions.map((one) => [
        `${name}/${one.partitionIndex}`,
        errorName(one.errorCode),
        one.activeProducers.map((producer) => [
          producer.producerId,
          producer.lastSequence,
          producer.currentTxnStartOffset,
        ]),
      ]),
    ),
    [
      ['t/0', 'NONE', []],
      ['t/1', 'NONE', [[open.producerId, 1, 0n]]],
      ['t/7', 'UNKNOWN_TOPIC_OR_PARTITION', []],
      ['nothing/0', 'UNKNOWN_TOPIC_OR_PARTITION', []],
    ],
  );
});

test('if the control plane is unavailable, producers get a retriable error', async () => {
  const agent = await startLeaderAgent();
  await agent.addTopic('t');
  const { transactionalId, producerId, producerEpoch } = await producerOf(agent, 'tx');
  await agent[Symbol.asyncDispose]();
  const caller = { transactionalId, producerId, producerEpoch };
  const loading = 'COORDINATOR_LOAD_IN_PROGRESS';
  const init = { transactionalId, transactionTimeoutMs: 1000 };
  assert.equal(errorName(answered(await agent.call('InitProducerId', 5, init)).errorCode), loading);
  const groups = { ...caller, groupId: 'g' };
  assert.equal(errorName(answered(await agent.call('AddOffsetsToTxn', 4, groups)).errorCode), loading);
  const end = { ...caller, committed: true };
  assert.equal(errorName(answered(await agent.call('EndTxn', 5, end)).errorCode), loading);
  const added = answered(
    await agent.call('AddPartitionsToTxn', 3, {
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producerId,
      v3AndBelowProducerEpoch: producerEpoch,
      v3AndBelowTopics: [{ name: 't', partitions: [0] }],
    }),
  );
  const [partition] = added.resultsByTopicV3AndBelow[0]!.resultsByPartition;
  assert.equal(errorName(partition!.partitionErrorCode), loading);
  for (const version of [0, 1, 2, 5]) {
    const offsets = [{ partitionIndex: 0, committedOffset: 1n, committedMetadata: null }];
    const request = { ...groups, topics: [{ name: 't', partitions: offsets }] };
    const { topics } = answered(await agent.call('TxnOffsetCommit', version, request));
    assert.equal(errorName(topics[0]!.partitions[0]!.errorCode), loading, `v${version}`);
  }
});
