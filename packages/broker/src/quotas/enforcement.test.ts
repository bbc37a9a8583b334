import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type AgentUnderTest, startAgentUnderTest } from '@weir/agent/testing';
import { quotaEntityKey } from '@weir/cluster';
import { pause, settle } from '@weir/core/testing';
import { zeroUuid } from '@weir/wire';
import { batchOf } from '../../testing/data-path.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf, type TestClient } from '../../testing/test-client.ts';

/** Starts a whole agent with sockets and with quotas for the client id `test` or an address. */
async function startWith(
  t: TestContext,
  quotas: object,
  entity: { type: string; name: string | null } = { type: 'client-id', name: 'test' },
): Promise<AgentUnderTest> {
  const under = await startAgentUnderTest(t);
  under.cluster.addTopic('t');
  under.cluster.putRecord('clientQuota', quotaEntityKey([entity]), quotas);
  await settle();
  return under;
}

function produceBody(bytes: number, acks = -1) {
  const records = batchOf([Buffer.alloc(bytes)]);
  return {
    transactionalId: null,
    acks,
    timeoutMs: 60_000,
    topicData: [{ name: 't', partitionData: [{ index: 0, records }] }],
  };
}

const fetchBody = {
  maxWaitMs: 0,
  minBytes: 1,
  maxBytes: 1_000_000,
  sessionId: 0,
  sessionEpoch: -1,
  topics: [{ topic: 't', partitions: [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1_000_000 }] }],
  forgottenTopicsData: [],
};

const askForNothing = { topics: [], allowAutoTopicCreation: false };

/**
 * Asserts that a request stays unread while another connection is served, and returns a function that waits for its
 * answer.
 */
async function isMuted(under: AgentUnderTest, client: TestClient): Promise<() => Promise<void>> {
  client.send('Metadata', 9, askForNothing);
  let isAnswered = false;
  const answer = client.receive('Metadata', 9).then(() => {
    isAnswered = true;
  });
  const bystander = await under.connect();
  for (let round = 0; round < 3; round++) await bystander.call('Metadata', 9, askForNothing);
  assert.equal(isAnswered, false, 'the connection is not read');
  return () => answer;
}

/**
 * Lets time pass until an answer comes. A serving thread may learn of a pause only now, and it begins when it does: the
 * clock of a test does not go on by itself.
 */
async function passUntil<T>(under: AgentUnderTest, answer: Promise<T>): Promise<T> {
  let hasSettled = false;
  const settled = answer.finally(() => {
    hasSettled = true;
  });
  for (await pause(20); !hasSettled; await pause(20)) under.clock.advance(250);
  return settled;
}

const throttled = (quota: string) => `agent_client_quota_throttle_count{quota="${quota}"}`;

test('a producer beyond its quota is answered first, and then its connection is not read', async (t) => {
  const under = await startWith(t, { producer_byte_rate: 1000 });
  const client = await under.connect();
  const small = await client.call('Produce', 9, produceBody(1000));
  assert.equal(small.throttleTimeMs, 0);
  const large = await client.call('Produce', 9, produceBody(12_000));
  assert.equal(large.responses[0]!.partitionResponses[0]!.errorCode, 0, 'the batch is written anyway');
  // 13 kB and some overhead, where ten seconds allow 10 kB.
  assert.ok(large.throttleTimeMs > 3000 && large.throttleTimeMs < 3500, `${large.throttleTimeMs} ms`);
  const answer = await isMuted(under, client);
  under.clock.advance(large.throttleTimeMs - 1);
  const stillMuted = await under.connect();
  await stillMuted.call('Metadata', 9, askForNothing);
  under.clock.advance(1);
  await passUntil(under, answer());
  assert.equal(await under.metric(throttled('producer_byte_rate')), 1);
});

test('a producer with acks 0 is throttled too', async (t) => {
  const under = await startAgentUnderTest(t, { limits: { requestsInFlightPerConnectionMax: 1 } });
  under.cluster.addTopic('t');
  under.cluster.putRecord('clientQuota', quotaEntityKey([{ type: 'user', name: 'ANONYMOUS' }]), {
    producer_byte_rate: 1000,
  });
  await settle();
  const client = await under.connect();
  client.send('Produce', 9, produceBody(20_000, 0));
  const answer = await isMuted(under, client);
  await under.untilStat(throttled('producer_byte_rate'), 1);
  await under.pass(15_000);
  await passUntil(under, answer());
});

test('a quota applies as soon as it is set, and ends when it is removed', async (t) => {
  const under = await startAgentUnderTest(t);
  under.cluster.addTopic('t');
  const client = await under.connect();
  const key = quotaEntityKey([{ type: 'client-id', name: null }]);
  const steps: [quotas: object | null, isThrottled: boolean][] = [
    [null, false],
    [{ producer_byte_rate: 10 }, true],
    [{ producer_byte_rate: 1_000_000 }, false],
    [{ consumer_byte_rate: 10 }, false],
    [null, false],
  ];
  for (const [quotas, isThrottled] of steps) {
    under.cluster.putRecord('clientQuota', key, quotas);
    await settle();
    const { throttleTimeMs } = await passUntil(under, client.call('Produce', 9, produceBody(1000)));
    assert.equal(throttleTimeMs > 0, isThrottled, JSON.stringify(quotas));
    under.clock.advance(throttleTimeMs);
  }
});

test('a consumer beyond its quota gets an answer without records, and the withheld bytes do not count', async (t) => {
  const under = await startWith(t, { consumer_byte_rate: 1000 });
  const producer = await under.connect();
  await producer.call('Produce', 9, produceBody(6000));
  const client = await under.connect();
  const recordBytes = async () => {
    const { throttleTimeMs, responses, errorCode } = await client.call('Fetch', 11, fetchBody);
    assert.equal(errorCode, 0);
    const [partition] = responses[0]!.partitions;
    assert.equal(partition!.highWatermark, 1n);
    return { throttleTimeMs, bytes: partition!.records?.length ?? 0 };
  };
  const first = await recordBytes();
  assert.ok(first.bytes > 6000 && first.throttleTimeMs === 0);
  const second = await recordBytes();
  assert.equal(second.bytes, 0);
  assert.ok(second.throttleTimeMs > 2000 && second.throttleTimeMs < 3000, `${second.throttleTimeMs} ms`);
  // After the throttle time and the time of the previous window, the rate is within the quota.
  under.clock.advance(11_000);
  assert.ok((await passUntil(under, recordBytes())).bytes > 6000);
  assert.equal(await under.metric(throttled('consumer_byte_rate')), 1);
});

test('a batch that is larger than a whole window allows is still fetched, and then the consumer waits', async (t) => {
  const under = await startWith(t, { consumer_byte_rate: 100 });
  const producer = await under.connect();
  await producer.call('Produce', 9, produceBody(5000));
  const client = await under.connect();
  const bytes = async () =>
    (await client.call('Fetch', 11, fetchBody)).responses[0]!.partitions[0]!.records!.length;
  assert.ok((await bytes()) > 5000);
  assert.equal(await bytes(), 0);
});

test('an address that connects too often is held and closed, and others are not', async (t) => {
  const under = await startWith(t, { connection_creation_rate: 1 }, { type: 'ip', name: '127.0.0.1' });
  const clients: TestClient[] = [];
  for (let count = 0; count < 10; count++) {
    const client = await under.connect();
    await client.call('Metadata', 9, askForNothing);
    clients.push(client);
  }
  const refused = await under.connect();
  await under.untilStat('agent_kafka_connection_closed_counter{reason="quota"}', 1);
  under.clock.advance(1000);
  await passUntil(under, refused.closed);
  await clients[9]!.call('Metadata', 9, askForNothing);
  assert.equal(await under.metric('agent_kafka_connection_closed_counter{reason="quota"}'), 1);
  assert.equal(await under.metric(throttled('connection_creation_rate')), 1);
});

test('processor time counts, and its throttle time is at most a second', async () => {
  const agent = await startTestAgent({
    produce: () => {
      agent.clock.advance(300);
      return { responses: [], throttleTimeMs: 0 };
    },
  });
  agent.cluster.putRecord('clientQuota', quotaEntityKey([{ type: 'user', name: null }]), {
    request_percentage: 5,
  });
  const waits: number[] = [];
  for (let count = 0; count < 3; count++) {
    const body = { transactionalId: null, acks: -1, timeoutMs: 1000, topicData: [] };
    waits.push(answered(await agent.call('Produce', 9, body)).throttleTimeMs);
  }
  // 30 % of a second in ten are 3 %, twice that 6 %; the third request would have to wait far longer.
  assert.deepEqual([waits[0], waits[2]], [0, 1000]);
  const { throttleTimeMs } = answered(
    await agent.call('ApiVersions', 3, { clientSoftwareName: 'a', clientSoftwareVersion: '1' }),
  );
  assert.equal(throttleTimeMs, 0, 'a client that only connects is not throttled');
});

test('old clients wait after mutations beyond the quota, and new clients are refused', async () => {
  const error = codeOf('THROTTLING_QUOTA_EXCEEDED');
  const topic = (name: string, numPartitions: number) => ({
    name,
    numPartitions,
    replicationFactor: -1,
    assignments: [],
    configs: [],
  });
  const create = (version: number, ...topics: ReturnType<typeof topic>[]) =>
    ['CreateTopics', version, { topics, timeoutMs: 1000, validateOnly: false }] as const;
  for (const version of [5, 6]) {
    const agent = await startTestAgent();
    agent.cluster.putRecord('clientQuota', quotaEntityKey([{ type: 'client-id', name: 'test' }]), {
      controller_mutation_rate: 1,
    });
    const made = answered(
      await agent.call(...create(version, topic('a', 10), topic('b', 11), topic('c', 1))),
    );
    const codes = made.topics.map(({ errorCode }) => errorCode);
    if (version < 6) {
      assert.deepEqual([codes, made.throttleTimeMs], [[0, 0, 0], 11_000]);
      continue;
    }
    assert.deepEqual([codes, made.throttleTimeMs], [[0, 0, error], 10_000]);
    const grown = answered(
      await agent.call('CreatePartitions', 3, {
        topics: [{ name: 'a', count: 11, assignments: null }],
        timeoutMs: 1000,
        validateOnly: false,
      }),
    );
    assert.deepEqual([grown.results[0]!.errorCode, grown.throttleTimeMs], [error, 10_000]);
    const names = ['a', 'never-made'].map((name) => ({ name, topicId: zeroUuid }));
    const deleted = answered(await agent.call('DeleteTopics', 6, { topics: names, timeoutMs: 1000 }));
    assert.deepEqual(
      deleted.responses.map(({ errorCode }) => errorCode),
      [error, codeOf('UNKNOWN_TOPIC_OR_PARTITION')],
    );
    agent.clock.advance(10_000);
    const later = answered(await agent.call('DeleteTopics', 5, { topicNames: ['a'], timeoutMs: 1000 }));
    assert.deepEqual([later.responses[0]!.errorCode, later.throttleTimeMs], [0, 0]);
    const other = answered(await agent.call(...create(7, topic('d', 50)), 'another'));
    assert.deepEqual(
      [other.topics[0]!.errorCode, other.throttleTimeMs],
      [0, 0],
      'another client has no quota',
    );
  }
});

test('validate-only requests use no quota', async () => {
  const agent = await startTestAgent();
  agent.cluster.putRecord('clientQuota', quotaEntityKey([{ type: 'client-id', name: null }]), {
    controller_mutation_rate: 1,
  });
  const topics = [{ name: 'a', numPartitions: 1000, replicationFactor: -1, assignments: [], configs: [] }];
  for (const validateOnly of [true, true, false]) {
    const { throttleTimeMs } = answered(
      await agent.call('CreateTopics', 7, { topics, timeoutMs: 1000, validateOnly }),
    );
    assert.equal(throttleTimeMs, 0);
  }
});
