import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { errors } from '@weir/wire';
import { leapingClock, type RunOptions, runLine } from '../../testing/command-run.ts';

async function cluster(t: TestContext, options: FakeKafkaOptions = {}) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`;
  return { fake, weir: (line: string, run?: RunOptions) => runLine(`${line} ${at}`, run) };
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

test('topics are listed by name', async (t) => {
  const { weir, fake } = await cluster(t, { topics: { payments: 12, orders: 3 } });
  assert.deepEqual(await weir('cli list-topics'), {
    status: 0,
    out: lines(
      'TOPIC     PARTITIONS  ID',
      `orders    3           ${fake.topics.get('orders')!.id}`,
      `payments  12          ${fake.topics.get('payments')!.id}`,
    ),
    err: '',
  });
  const json = await weir('cli list-topics -output json');
  assert.deepEqual(JSON.parse(json.out), [
    { topic: 'orders', topicId: fake.topics.get('orders')!.id, partitions: 3, isInternal: false },
    { topic: 'payments', topicId: fake.topics.get('payments')!.id, partitions: 12, isInternal: false },
  ]);
});

test('an old broker gets requests in a version that it supports', async (t) => {
  const { weir, fake } = await cluster(t, {
    topics: { orders: 3 },
    versions: { Metadata: [0, 0], CreateTopics: [2, 2], DeleteTopics: [1, 1] },
  });
  assert.match((await weir('cli list-topics')).out, /\norders +3 /);
  assert.match((await weir('cli create-topic -topic new')).out, /\nnew +- +- /);
  assert.equal(fake.topics.get('new')!.partitions.length, 1);
  assert.equal((await weir('cli delete-topic -topic new')).out, 'deleted topic new\n');
});

test('a topic is created as requested', async (t) => {
  let seen: unknown;
  const { weir, fake } = await cluster(t, {
    script: {
      CreateTopics({ topics }) {
        seen = topics[0];
        return undefined;
      },
    },
  });
  const line =
    'cli create-topic -topic orders -partitions 3 -replication-factor 1 -config cleanup.policy=compact,delete,a=b';
  assert.deepEqual(await weir(line), {
    status: 0,
    out: lines(
      'TOPIC   PARTITIONS  REPLICATION  ID',
      `orders  3           1            ${fake.topics.get('orders')!.id}`,
    ),
    err: '',
  });
  const configs = [
    { name: 'cleanup.policy', value: 'compact,delete' },
    { name: 'a', value: 'b' },
  ];
  assert.deepEqual(seen, {
    name: 'orders',
    numPartitions: 3,
    replicationFactor: 1,
    assignments: [],
    configs,
  });

  await weir('cli create-topic -topic plain');
  assert.deepEqual(seen, {
    name: 'plain',
    numPartitions: -1,
    replicationFactor: -1,
    assignments: [],
    configs: [],
  });
});

test('the controller creates topics, and is looked up again after it has moved', async (t) => {
  const { weir, fake } = await cluster(t, {
    brokers: 2,
    script: {
      CreateTopics: ({ topics }, { earlier }) =>
        earlier > 0
          ? undefined
          : {
              throttleTimeMs: 0,
              topics: [{ name: topics[0]!.name, errorCode: errors.NOT_CONTROLLER.code, errorMessage: null }],
            },
    },
  });
  assert.equal((await weir('cli create-topic -topic orders')).status, 0);
  assert.equal(fake.count('CreateTopics'), 2);
  assert.ok(fake.count('Metadata') >= 2);
});

test('a topic is described with its leaders and offsets', async (t) => {
  const { weir, fake } = await cluster(t, { brokers: 2, topics: { orders: 3 } });
  await weir('cli produce -topic orders -partition 1 -records a,,b,,c');
  assert.deepEqual(await weir('cli describe-topic -topic orders'), {
    status: 0,
    out: lines(
      `topic orders, id ${fake.topics.get('orders')!.id}`,
      `PARTITION  LEADER               EPOCH  REPLICAS  IN SYNC  EARLIEST  LATEST`,
      `0          1 (127.0.0.1:${fake.port(1)})  4      1         1        0         0`,
      `1          2 (127.0.0.1:${fake.port(2)})  4      2         2        0         3`,
      `2          1 (127.0.0.1:${fake.port(1)})  4      1         1        0         0`,
    ),
    err: '',
  });
  const described = JSON.parse((await weir('cli describe-topic -topic orders -output json')).out);
  assert.equal(described.partitions[1].latestOffset, 3);
  assert.equal(described.partitions[1].leader, `127.0.0.1:${fake.port(2)}`);
});

test('a partition that cannot be described does not affect the others', async (t) => {
  const { weir } = await cluster(t, {
    topics: { orders: 2 },
    script: {
      ListOffsets: ({ topics }) => ({
        topics: topics.map(({ name, partitions }) => ({
          name,
          partitions: partitions.map(({ partitionIndex }) => ({
            partitionIndex,
            errorCode: partitionIndex === 1 ? errors.TOPIC_AUTHORIZATION_FAILED.code : 0,
            offset: 7n,
          })),
        })),
      }),
    },
  });
  const { status, out, err } = await weir('cli describe-topic -topic orders');
  assert.equal(status, 1);
  assert.match(out, /\n0 .* 7 +7\n1 .* - +-\n$/);
  assert.equal(
    err,
    'weir cli describe-topic: partition 1: topic orders, partition 1: TOPIC_AUTHORIZATION_FAILED: ' +
      'No permission to do this with the topic.\n',
  );
});

test('an error of a broker is one line and status 1', async (t) => {
  const { weir } = await cluster(t, { topics: { orders: 1 } });
  const unknown =
    'topic nope: UNKNOWN_TOPIC_OR_PARTITION: No such topic or partition, or none that you may see.';
  const cases: readonly [line: string, err: string][] = [
    [
      'cli create-topic -topic orders',
      "weir cli create-topic: topic orders: TOPIC_ALREADY_EXISTS: Topic 'orders' exists.",
    ],
    ['cli delete-topic -topic nope', `weir cli delete-topic: ${unknown}`],
    ['cli describe-topic -topic nope', `weir cli describe-topic: ${unknown}`],
    ['cli produce -topic nope -records a', `weir cli produce: ${unknown}`],
    ['cli fetch -topic nope', `weir cli fetch: ${unknown}`],
    [
      'cli produce -topic orders -partition 7 -records a',
      'weir cli produce: topic orders has no partition 7; its only partition is 0',
    ],
    [
      'cli fetch -topic orders -partition 7',
      'weir cli fetch: topic orders has no partition 7; its only partition is 0',
    ],
    [
      'cli fetch -topic orders -offset 5',
      'weir cli fetch: topic orders, partition 0: no record at offset 5; the partition is empty',
    ],
  ];
  for (const [line, err] of cases) {
    const clock = leapingClock(2_000);
    assert.deepEqual(await weir(line, { clock }), { status: 1, out: '', err: `${err}\n` });
  }
});

test('a message of a broker cannot break the line', async (t) => {
  const { weir } = await cluster(t, {
    script: {
      CreateTopics: () => ({
        throttleTimeMs: 0,
        topics: [
          { name: 'a', errorCode: errors.POLICY_VIOLATION.code, errorMessage: 'no\n\u001b[31mway\u009b' },
        ],
      }),
    },
  });
  assert.equal(
    (await weir('cli create-topic -topic a')).err,
    'weir cli create-topic: topic a: POLICY_VIOLATION: no\\n\\u001b[31mway\\u009b\n',
  );
});
