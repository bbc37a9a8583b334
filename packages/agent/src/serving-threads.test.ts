import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { batchOf, type TestClient } from '@weir/broker/testing';
import { quotaEntityKey } from '@weir/cluster';
import { pause, settle, until } from '@weir/core/testing';
import { type AgentUnderTest, startAgentUnderTest } from '../testing/running-agent.ts';

const threads = 2;

/** An agent with a topic, whose clients are connected to each of its serving threads. */
async function stage(t: TestContext): Promise<AgentUnderTest & { readonly clients: TestClient[] }> {
  const under = await startAgentUnderTest(t, { servingThreads: threads });
  under.cluster.addTopic('t');
  const clients: TestClient[] = [];
  const connections = async (thread: number) => {
    // Connections are counted once a second.
    under.clock.advance(1000);
    return under.metric(`agent_serving_thread_connections{thread="${thread}"}`);
  };
  // The system spreads connections by a hash of their ports.
  for (let thread = 0; thread < threads; thread++) {
    const before = await connections(thread);
    while (clients.length === thread) {
      const client = await under.connect();
      await client.call('ApiVersions', 0, {});
      if ((await connections(thread)) > before) clients.push(client);
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

test('clients of all threads share one quota', async (t) => {
  const { clients, cluster, metric } = await stage(t);
  cluster.putRecord('clientQuota', quotaEntityKey([{ type: 'client-id', name: 'test' }]), {
    producer_byte_rate: 1000,
  });
  await settle();
  // Each of them alone is within the 10 kB of ten seconds.
  const [first, second] = clients as [TestClient, TestClient];
  assert.equal((await first.call('Produce', 9, produceBody(7000))).throttleTimeMs, 0);
  assert.ok((await second.call('Produce', 9, produceBody(7000))).throttleTimeMs > 0);
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
