import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { batchOf, type TestClient } from '@weir/broker/testing';
import { quotaEntityKey } from '@weir/cluster';
import { pause, settle, until } from '@weir/core/testing';
import { errors } from '@weir/wire';
import { type AgentUnderTest, startAgentUnderTest } from '../testing/running-agent.ts';
import type { AgentOptions } from './agent-options.ts';

const threads = 4;

/** An agent with a topic, whose clients are connected to each of its serving threads. */
async function stage(
  t: TestContext,
  differences: Partial<AgentOptions> = {},
): Promise<AgentUnderTest & { readonly clients: TestClient[] }> {
  const under = await startAgentUnderTest(t, { servingThreads: threads, ...differences });
  under.cluster.addTopic('t');
  const clients: TestClient[] = [];
  const connectionsByThread = async () => {
    // Connections are counted once a second.
    under.clock.advance(1000);
    const counts: number[] = [];
    for (let thread = 0; thread < threads; thread++)
      counts.push(await under.metric(`agent_serving_thread_connections{thread="${thread}"}`));
    return counts;
  };
  const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  // The system spreads connections by a hash of their ports.
  for (let thread = 0; thread < threads; thread++) {
    while (clients.length === thread) {
      // A connection that was given up must be gone first, or the next one would not be seen.
      let before = await connectionsByThread();
      while (sumOf(before) !== clients.length) {
        await pause(1);
        before = await connectionsByThread();
      }
      const client = await under.connect();
      await client.call('ApiVersions', 0, {});
      const after = await connectionsByThread();
      if (after[thread]! > before[thread]!) clients.push(client);
      else client.socket.destroy();
    }
  }
  return { ...under, clients };
}

function produceBody(bytes: number) {
  const records = batchOf([Buffer.alloc(bytes)]);
  return {
    transactionalId: null,
    acks: -1,
    timeoutMs: 60_000,
    topicData: [{ name: 't', partitionData: [{ index: 0, records }] }],
  };
}

/** Lets time pass, for the agent and for its leader, until there is an answer. */
async function passing<Answer>(
  { clock, cluster }: Pick<AgentUnderTest, 'clock' | 'cluster'>,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  let isAnswered = false;
  const answer = ask().finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) {
    clock.advance(10);
    cluster.clock.advance(10);
    await pause(1);
  }
  return answer;
}

const waitingPartition = { partition: 0, fetchOffset: 0n, partitionMaxBytes: 1_000_000 };

test('clients of all threads share one quota', async (t) => {
  const { clients, cluster, metric } = await stage(t);
  cluster.putRecord('clientQuota', quotaEntityKey([{ type: 'client-id', name: 'test' }]), {
    producer_byte_rate: 1000,
  });
  await settle();
  // All of them but the last together are within the 10 kB of ten seconds.
  for (const client of clients.slice(0, -1))
    assert.equal((await client.call('Produce', 9, produceBody(3000))).throttleTimeMs, 0);
  assert.ok((await clients.at(-1)!.call('Produce', 9, produceBody(3000))).throttleTimeMs > 0);
  assert.equal(await metric('agent_client_quota_throttle_count{quota="producer_byte_rate"}'), 1);
});

test('a fetch session goes on over a connection of another thread', async (t) => {
  const { clients } = await stage(t);
  const [first, second] = clients as [TestClient, TestClient];
  /** Fetches in a session; `fetchOffset` is given when it changes. */
  const fetch = (client: TestClient, sessionId: number, sessionEpoch: number, fetchOffset?: bigint) =>
    client.call('Fetch', 11, {
      ...{ maxWaitMs: 0, minBytes: 0, maxBytes: 1_000_000, sessionId, sessionEpoch },
      topics:
        fetchOffset === undefined
          ? []
          : [{ topic: 't', partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 1_000_000 }] }],
      forgottenTopicsData: [],
    });
  const { sessionId } = await fetch(first, 0, 0, 0n);
  assert.notEqual(sessionId, 0);
  await second.call('Produce', 9, produceBody(100));
  const incremental = await fetch(second, sessionId, 1);
  assert.equal(incremental.errorCode, 0);
  assert.equal(incremental.sessionId, sessionId);
  assert.ok(incremental.responses[0]!.partitions[0]!.records!.length > 100);
  // Nothing has changed since, whichever thread asks.
  assert.deepEqual((await fetch(first, sessionId, 2, 1n)).responses, []);
  assert.deepEqual((await fetch(second, sessionId, 3)).responses, []);
});

test('all threads share the limit of connections', async (t) => {
  const connectionsMax = threads + 1;
  const { clients, connect } = await stage(t, { limits: { connectionsMax, reservedConnectionsMax: 0 } });
  const last = await connect();
  assert.equal((await last.call('ApiVersions', 0, {})).errorCode, 0);
  // All of them wait for an answer, so that none gives way to another.
  const wait = { maxWaitMs: 60_000, minBytes: 1_000_000, maxBytes: 1_000_000, topics: [] };
  for (const client of [...clients, last])
    client.send('Fetch', 4, { ...wait, topics: [{ topic: 't', partitions: [waitingPartition] }] });
  await pause(20);
  for (let more = 0; more < 2 * threads; more++) await (await connect()).closed;
});

test('a transaction that each step takes over another thread', async (t) => {
  const under = await stage(t);
  const { clients } = under;
  const [first, second, third, fourth] = clients as [TestClient, TestClient, TestClient, TestClient];
  const transactionalId = 'tx';
  const begun = await passing(under, () =>
    first.call('InitProducerId', 4, {
      ...{ transactionalId, transactionTimeoutMs: 60_000, producerId: -1n, producerEpoch: -1 },
    }),
  );
  assert.equal(begun.errorCode, 0);
  const { producerId, producerEpoch } = begun;
  const added = await passing(under, () =>
    second.call('AddPartitionsToTxn', 3, {
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producerId,
      v3AndBelowProducerEpoch: producerEpoch,
      v3AndBelowTopics: [{ name: 't', partitions: [0] }],
    }),
  );
  assert.equal(added.resultsByTopicV3AndBelow[0]!.resultsByPartition[0]!.partitionErrorCode, 0);
  const ended = await passing(under, () =>
    third.call('EndTxn', 3, {
      ...{ transactionalId, producerId, producerEpoch, committed: true },
    }),
  );
  assert.equal(ended.errorCode, 0);
  // A new producer of the same name fences the one before, whichever thread has either.
  const again = await passing(under, () =>
    fourth.call('InitProducerId', 4, {
      ...{ transactionalId, transactionTimeoutMs: 60_000, producerId: -1n, producerEpoch: -1 },
    }),
  );
  assert.ok(again.producerEpoch > producerEpoch || again.producerId !== producerId);
  const fenced = await passing(under, () =>
    first.call('EndTxn', 3, {
      ...{ transactionalId, producerId, producerEpoch, committed: true },
    }),
  );
  const codes: readonly number[] = [errors.INVALID_PRODUCER_EPOCH.code, errors.PRODUCER_FENCED.code];
  assert.ok(codes.includes(fenced.errorCode), String(fenced.errorCode));
});

test('members of a group join, synchronise and leave over different threads', async (t) => {
  const under = await stage(t);
  const { clients } = under;
  const protocols = [{ name: 'range', metadata: Buffer.from('m') }];
  const group = { groupId: 'g', groupInstanceId: null };
  const asks = { ...group, sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 30_000, protocolType: 'consumer' };
  const named = await passing(under, () =>
    Promise.all(
      clients.map(async (client) => {
        const { errorCode, memberId } = await client.call('JoinGroup', 5, {
          ...asks,
          memberId: '',
          protocols,
        });
        assert.equal(errorCode, errors.MEMBER_ID_REQUIRED.code);
        return { client, memberId };
      }),
    ),
  );
  const joined = await passing(under, () =>
    Promise.all(
      named.map(({ client, memberId }) => client.call('JoinGroup', 5, { ...asks, memberId, protocols })),
    ),
  );
  assert.equal(new Set(joined.map(({ generationId }) => generationId)).size, 1);
  const leader = joined.find(({ leader: id, memberId }) => id === memberId)!;
  assert.equal(leader.members.length, threads);
  const assignments = named.map(({ memberId }) => ({ memberId, assignment: Buffer.from(memberId) }));
  const synced = await passing(under, () =>
    Promise.all(
      named.map(({ client, memberId }, at) =>
        client.call('SyncGroup', 3, {
          ...{ ...group, memberId, generationId: joined[at]!.generationId },
          assignments: memberId === leader.memberId ? assignments : [],
        }),
      ),
    ),
  );
  assert.deepEqual(
    synced.map(({ assignment }) => assignment.toString()),
    named.map(({ memberId }) => memberId),
  );
  // A member may leave over the connection of another.
  const [gone, other] = named as [(typeof named)[0], (typeof named)[0]];
  const left = await passing(under, () =>
    other.client.call('LeaveGroup', 2, { groupId: 'g', memberId: gone.memberId }),
  );
  assert.equal(left.errorCode, 0);
  const generationId = leader.generationId;
  const beat = await passing(under, () =>
    gone.client.call('Heartbeat', 3, { ...group, memberId: gone.memberId, generationId }),
  );
  assert.equal(beat.errorCode, errors.UNKNOWN_MEMBER_ID.code);
});

test('an agent that stops answers what is under way in every thread, and then closes it', async (t) => {
  const { agent, clients, store, clock } = await stage(t);
  let goOn = () => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  store.beforePut = () => held;
  for (const client of clients) client.send('Produce', 9, produceBody(1000));
  await until(() => store.runningPuts > 0);
  let isStopped = false;
  const stopped = agent.stop({ deadlineMs: 60_000 }).then(() => {
    isStopped = true;
  });
  const answers = Promise.all(clients.map((client) => client.receive('Produce', 9)));
  let areAnswered = false;
  void answers.then(() => {
    areAnswered = true;
  });
  await pause();
  assert.deepEqual([isStopped, areAnswered], [false, false]);
  goOn();
  while (!areAnswered) {
    clock.advance(1);
    await pause(1);
  }
  for (const { body } of await answers) assert.equal(body.responses[0]!.partitionResponses[0]!.errorCode, 0);
  while (!isStopped) {
    clock.advance(100);
    await pause(1);
  }
  await stopped;
  await Promise.all(clients.map(({ closed }) => closed));
});
