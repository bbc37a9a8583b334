import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TransactionToEnd } from '@weir/cluster';
import { pause, until } from '@weir/core/testing';
import fc from 'fast-check';
import { batchOf, produceRequest } from '../../testing/data-path.ts';
import { type LeaderAgent, type ServedAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered } from '../../testing/test-agent-server.ts';
import {
  errorName,
  fetchOnce,
  protocols,
  readAll,
  TransactionalProducer,
} from '../../testing/transactional-client.ts';

type Protocol = keyof typeof protocols;

const everyProtocol = Object.keys(protocols) as Protocol[];

async function begin(agent: LeaderAgent, transactionalId: string, protocol: Protocol) {
  const producer = new TransactionalProducer(agent, transactionalId, protocol);
  assert.equal(await producer.init(), 'NONE');
  return producer;
}

/** Writes within a transaction, as the protocol requires. */
async function write(
  producer: TransactionalProducer,
  protocol: Protocol,
  topic: string,
  partition: number,
  ...values: string[]
) {
  if (protocol === 'announcing') {
    assert.deepEqual(await producer.addPartitions(topic, partition), ['NONE']);
  }
  assert.equal(await producer.send(topic, partition, ...values), 'NONE');
}

async function writePlain(agent: LeaderAgent, topic: string, ...values: string[]): Promise<void> {
  const { responses } = answered(await agent.call('Produce', 9, produceRequest(topic, [batchOf(values)])));
  assert.equal(errorName(responses[0]!.partitionResponses[0]!.errorCode), 'NONE');
}

/** Waits until an agent has received everything. */
async function waitForStableOffset(
  agent: ServedAgent,
  topic: string,
  lastStableOffset: number,
  partition = 0,
) {
  const { topicId } = agent.view.topicByName(topic)!;
  await until(() => agent.view.ends(topicId, partition)!.lastStableOffset === lastStableOffset);
}

for (const protocol of everyProtocol) {
  test(`${protocol}: records are committed together, in all partitions`, async () => {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t', 2);
    const producer = await begin(agent, 'tx', protocol);
    await write(producer, protocol, 't', 0, 'a', 'b');
    await write(producer, protocol, 't', 1, 'c');

    for (const [partition, values] of [
      [0, ['a', 'b']],
      [1, ['c']],
    ] as const) {
      const open = await fetchOnce(agent, 't', { committed: true, partition });
      assert.deepEqual([open.values, open.aborted, open.lastStableOffset], [[], [], 0n]);
      assert.equal(open.highWatermark, BigInt(values.length));
      const all = await fetchOnce(agent, 't', { committed: false, partition });
      assert.deepEqual([all.values, all.aborted, all.lastStableOffset], [values, null, 0n]);
    }

    const epoch = producer.producerEpoch;
    assert.equal(await producer.end(true), 'NONE');
    const markerEpoch = protocol === 'bumping' ? epoch + 1 : epoch;
    assert.equal(producer.producerEpoch, markerEpoch);
    await waitForStableOffset(agent, 't', 3);
    await waitForStableOffset(agent, 't', 2, 1);
    for (const reader of [agent, await agent.another()]) {
      const ended = await fetchOnce(reader, 't', { committed: true });
      assert.deepEqual(ended.values, ['a', 'b']);
      assert.deepEqual(ended.markers, [`commit at 2 by epoch ${markerEpoch}`]);
      assert.deepEqual([ended.aborted, ended.lastStableOffset, ended.highWatermark], [[], 3n, 3n]);
      assert.deepEqual(await readAll(reader, 't', { committed: true, partition: 1 }), ['c']);
    }
  });

  test(`${protocol}: aborted records are marked as such, and those of the next transaction are not`, async () => {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t');
    const producer = await begin(agent, 'tx', protocol);
    await write(producer, protocol, 't', 0, 'a', 'b');
    assert.equal(await producer.end(false), 'NONE');
    await write(producer, protocol, 't', 0, 'c');
    assert.equal(await producer.end(true), 'NONE');
    await waitForStableOffset(agent, 't', 5);
    for (const reader of [agent, await agent.another()]) {
      const committed = await fetchOnce(reader, 't', { committed: true });
      assert.deepEqual(committed.values, ['c']);
      assert.deepEqual(committed.aborted, [[producer.producerId, 0n]]);
      const uncommitted = await fetchOnce(reader, 't', { committed: false });
      assert.deepEqual([uncommitted.values, uncommitted.aborted], [['a', 'b', 'c'], null]);
      assert.equal(uncommitted.markers.length, 2);
      const behind = await fetchOnce(reader, 't', { committed: true, offset: 3n });
      assert.deepEqual([behind.values, behind.aborted], [['c'], []]);
    }
  });

  test(`${protocol}: a new producer of a transactional id fences the previous one, and its records are aborted`, async () => {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t');
    const zombie = await begin(agent, 'tx', protocol);
    await write(zombie, protocol, 't', 0, 'lost');
    const successor = await begin(agent, 'tx', protocol);
    assert.equal(await zombie.send('t', 0, 'late'), 'INVALID_PRODUCER_EPOCH');
    assert.deepEqual(await zombie.addPartitions('t', 0), ['PRODUCER_FENCED']);
    assert.equal(await zombie.commitOffset('g', 't', 1n), 'INVALID_PRODUCER_EPOCH');
    assert.equal(await zombie.end(true), 'PRODUCER_FENCED');
    await write(successor, protocol, 't', 0, 'kept');
    assert.equal(await successor.end(true), 'NONE');
    await waitForStableOffset(agent, 't', 4);
    assert.deepEqual(await readAll(agent, 't', { committed: true }), ['kept']);
  });

  test(`${protocol}: a transaction that is open for too long is aborted and its producer fenced`, async () => {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t');
    const producer = new TransactionalProducer(agent, 'tx', protocol);
    assert.equal(await producer.init(1), 'NONE');
    await write(producer, protocol, 't', 0, 'a');
    await waitForStableOffset(agent, 't', 2);
    assert.deepEqual(await readAll(agent, 't', { committed: true }), []);
    assert.deepEqual(await readAll(agent, 't', { committed: false }), ['a']);
    assert.equal(await producer.send('t', 0, 'b'), 'INVALID_PRODUCER_EPOCH');
    // With an epoch per transaction the cluster knows which one was meant, and how it ended.
    const ended = protocol === 'bumping' ? 'INVALID_TXN_STATE' : 'PRODUCER_FENCED';
    assert.equal(await producer.end(true), ended);
    assert.equal(await producer.init(), 'PRODUCER_FENCED');
  });

  test(`${protocol}: offsets of a group count when the transaction commits`, async () => {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t');
    const producer = await begin(agent, 'tx', protocol);
    const offsetIn = async (requireStable: boolean, version: number) => {
      const topics = [{ name: 't', topicId: agent.view.topicByName('t')!.topicId, partitionIndexes: [0] }];
      const answer = answered(
        await agent.call('OffsetFetch', version, {
          ...(version >= 8 ? { groups: [{ groupId: 'g', topics }] } : { groupId: 'g', topics }),
          requireStable,
        }),
      );
      const [topic] = version >= 8 ? answer.groups[0]!.topics : answer.topics;
      const { errorCode, committedOffset } = topic!.partitions[0]!;
      return errorCode === 0 ? Number(committedOffset) : errorName(errorCode);
    };
    const commit = async (offset: bigint) => {
      if (protocol === 'announcing') assert.equal(await producer.addOffsets('g'), 'NONE');
      assert.equal(await producer.commitOffset('g', 't', offset), 'NONE');
    };
    const steps: [what: () => Promise<unknown>, stable: number | string, unstable: number][] = [
      [() => commit(7n), 'UNSTABLE_OFFSET_COMMIT', -1],
      [() => producer.end(true), 7, 7],
      [() => commit(9n), 'UNSTABLE_OFFSET_COMMIT', 7],
      [() => producer.end(false), 7, 7],
      [() => commit(-2n), 'UNSTABLE_OFFSET_COMMIT', 7],
      [() => producer.end(true), -2, -2],
    ];
    for (const [step, stable, unstable] of steps) {
      await step();
      for (const version of [7, 8, 9, 10]) {
        assert.equal(await offsetIn(true, version), stable, `v${version}`);
        assert.equal(await offsetIn(false, version), unstable, `v${version}`);
      }
    }
  });
}

test('a producer that announces partitions can write only to those', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t', 2);
  const producer = await begin(agent, 'tx', 'announcing');
  assert.deepEqual(await producer.addPartitions('t', 0), ['NONE']);
  assert.equal(await producer.send('t', 1, 'x'), 'TRANSACTION_ABORTABLE');
  assert.equal(await producer.commitOffset('g', 't', 1n), 'TRANSACTION_ABORTABLE');
  assert.equal(await producer.send('t', 0, 'a'), 'NONE');
  assert.deepEqual(await producer.addPartitions('t', 1, 2), [
    'OPERATION_NOT_ATTEMPTED',
    'UNKNOWN_TOPIC_OR_PARTITION',
  ]);
  assert.equal(await producer.end(true), 'NONE');
});

test('an EndTxn over a connection that the transaction does not know is held, and succeeds', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  const producer = await begin(agent, 'tx', 'announcing');
  await write(producer, 'announcing', 't', 0, 'a');
  producer.reconnect();
  assert.equal(await producer.end(true), 'NONE');
  assert.equal((await agent.node.describeTransactions(['tx']))[0]!.state, 'CompleteCommit');
});

test('an EndTxn is not repeated once its client has left, nor when the transaction is used elsewhere', async () => {
  let ends = 0;
  let meanwhile: () => Promise<unknown> = async () => undefined;
  await using agent = await startLeaderAgent(
    {},
    {
      port: (node) =>
        new Proxy(node, {
          get(target, name) {
            const value = Reflect.get(target, name);
            if (name !== 'endTransaction') return typeof value === 'function' ? value.bind(target) : value;
            return async (request: TransactionToEnd) => {
              ends++;
              const answer = await target.endTransaction(request);
              await meanwhile();
              return answer;
            };
          },
        }),
    },
  );
  await agent.addTopic('t');
  const stateOf = async () => (await agent.node.describeTransactions(['tx']))[0]!.state;
  const producer = await begin(agent, 'tx', 'announcing');
  await write(producer, 'announcing', 't', 0, 'a');
  const late = producer.onOtherConnection();
  meanwhile = async () => late.disconnect();
  assert.equal(await late.end(true), 'CONCURRENT_TRANSACTIONS');
  assert.deepEqual([ends, await stateOf()], [1, 'Ongoing'], 'its client has left');

  const other = producer.onOtherConnection();
  meanwhile = async () => assert.deepEqual(await producer.addPartitions('t', 0), ['NONE']);
  assert.equal(await other.end(true), 'CONCURRENT_TRANSACTIONS');
  assert.deepEqual(
    [ends, await stateOf()],
    [3, 'Ongoing'],
    'another connection goes on with the transaction',
  );
  meanwhile = async () => undefined;
  assert.equal(await producer.end(true), 'NONE');
});

test('offsets committed through one agent after another are held until their order is known', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  const agents = [agent, await agent.another(), await agent.another()];
  const first = await begin(agent, 'tx', 'announcing');
  assert.equal(await first.addOffsets('g'), 'NONE');
  for (const [round, served] of [...agents, ...agents].entries()) {
    const producer = first.onOtherConnection(served);
    assert.equal(await producer.commitOffset('g', 't', BigInt(round)), 'NONE', `round ${round}`);
  }
  assert.equal(await first.onOtherConnection(agents[1]).end(true), 'NONE');
});

test('a read_committed fetch waits for the end of a transaction, not for its records', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  const producer = await begin(agent, 'tx', 'bumping');
  const seen: string[] = [];
  const committed = fetchOnce(agent, 't', { committed: true, maxWaitMs: 30_000 }).then(({ values }) => {
    seen.push(`committed ${values}`);
  });
  const uncommitted = fetchOnce(agent, 't', { committed: false, maxWaitMs: 30_000 }).then(({ values }) => {
    seen.push(`uncommitted ${values}`);
  });
  assert.equal(await producer.send('t', 0, 'a'), 'NONE');
  await uncommitted;
  await pause(0);
  assert.deepEqual(seen, ['uncommitted a']);
  assert.equal(await producer.end(true), 'NONE');
  await committed;
  assert.deepEqual(seen, ['uncommitted a', 'committed a']);
});

test('a fetch session returns a partition of which only the last stable offset has moved', async () => {
  await using agent = await startLeaderAgent();
  const { topicId } = await agent.addTopic('t');
  const first = await begin(agent, 'first', 'bumping');
  const second = await begin(agent, 'second', 'bumping');
  await write(first, 'bumping', 't', 0, 'a');
  await write(second, 'bumping', 't', 0, 'b');
  const connection = new AbortController().signal;
  let sessionId = 0;
  let sessionEpoch = 0;
  const fetch = async () => {
    const answer = answered(
      await agent.call(
        'Fetch',
        13,
        {
          maxWaitMs: 0,
          minBytes: 1,
          maxBytes: 1 << 20,
          isolationLevel: 1,
          sessionId,
          sessionEpoch,
          topics:
            sessionEpoch === 0
              ? [{ topicId, partitions: [{ partition: 0, fetchOffset: 9n, partitionMaxBytes: 1 << 20 }] }]
              : [],
        },
        'test',
        connection,
      ),
    );
    sessionId = answer.sessionId;
    sessionEpoch++;
    const partitionResponses = answer.responses.flatMap(({ partitions }) => partitions);
    return partitionResponses.map((one) => [
      one.highWatermark,
      one.lastStableOffset,
      one.records?.length ?? 0,
    ]);
  };
  await write(first, 'bumping', 't', 0, ...'cdefghi'.split(''));
  assert.deepEqual(await fetch(), [[9n, 0n, 0]]);
  assert.deepEqual(await fetch(), []);
  assert.equal(await first.end(true), 'NONE');
  await waitForStableOffset(agent, 't', 1);
  assert.deepEqual(await fetch(), [[10n, 1n, 0]]);
  assert.deepEqual(await fetch(), []);
});

test('plain and transactional records of many producers, read in fetches of any size', async () => {
  await using agent = await startLeaderAgent();
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), producerIndex: fc.nat(2) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('plain' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('commit' as const, 'abort' as const),
        producerIndex: fc.nat(2),
      }),
    },
  );
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.constantFrom(1, 200, 1 << 20),
      async (steps, bytesMax) => {
        const topic = `t-${run++}`;
        await agent.addTopic(topic);
        const protocol = everyProtocol[run % 2]!;
        const producers = await Promise.all(
          [0, 1, 2].map((producerIndex) => begin(agent, `${topic}-${producerIndex}`, protocol)),
        );
        /** The expected log: values and markers, and the state of each. */
        const log: {
          value: string;
          state: 'plain' | 'open' | 'committed' | 'aborted' | 'marker';
          producerIndex: number;
        }[] = [];
        for (const [number, one] of steps.entries()) {
          if (one.kind === 'plain') {
            await writePlain(agent, topic, `${number}`);
            log.push({ value: `${number}`, state: 'plain', producerIndex: -1 });
          } else if (one.kind === 'write') {
            await write(producers[one.producerIndex]!, protocol, topic, 0, `${number}`);
            log.push({ value: `${number}`, state: 'open', producerIndex: one.producerIndex });
          } else {
            const open = log.filter(
              ({ state, producerIndex }) => state === 'open' && producerIndex === one.producerIndex,
            );
            if (open.length === 0) continue;
            assert.equal(await producers[one.producerIndex]!.end(one.kind === 'commit'), 'NONE');
            for (const entry of open) entry.state = one.kind === 'commit' ? 'committed' : 'aborted';
            log.push({ value: '', state: 'marker', producerIndex: one.producerIndex });
          }
        }
        const firstOpen = log.findIndex(({ state }) => state === 'open');
        const stable = firstOpen === -1 ? log.length : firstOpen;
        await waitForStableOffset(agent, topic, stable);
        const committed = log
          .slice(0, stable)
          .flatMap(({ value, state }) => (state === 'plain' || state === 'committed' ? [value] : []));
        const all = log.flatMap(({ value, state }) => (state === 'marker' ? [] : [value]));
        for (const reader of [agent, await agent.another()]) {
          assert.deepEqual(await readAll(reader, topic, { committed: true, bytesMax }), committed);
          assert.deepEqual(await readAll(reader, topic, { committed: false, bytesMax }), all);
          for (let offset = 0; offset <= stable; offset++) {
            const left = log
              .slice(offset, stable)
              .flatMap(({ value, state }) => (state === 'plain' || state === 'committed' ? [value] : []));
            const read = await readAll(reader, topic, { committed: true, bytesMax, offset: BigInt(offset) });
            assert.deepEqual(read, left, `from ${offset}`);
          }
        }
      },
    ),
    { numRuns: 25 },
  );
});
