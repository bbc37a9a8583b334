import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeKafka, type FakeKafkaOptions } from '@weir/client/testing';
import { batchRecords, errors, partitionOfKey, RecordBatchView } from '@weir/wire';
import { leapingClock, type RunOptions, runLine } from '../../testing/command-run.ts';

async function cluster(t: TestContext, options: FakeKafkaOptions) {
  const fake = await FakeKafka.start(options);
  t.after(() => fake.stop());
  const at = `-bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`;
  return { fake, weir: (line: string, run?: RunOptions) => runLine(`${line} ${at}`, run) };
}

/** The content of a partition, as `key=value`. */
function stored(fake: FakeKafka, topic: string, partition: number): readonly string[] {
  return fake.topics
    .get(topic)!
    .partitions[partition]!.batches.flatMap((batch) => [...batchRecords(new RecordBatchView(batch))])
    .map(({ key, value }) => `${key ?? 'null'}=${value}`);
}

test('records from the flag are reported one by one', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  assert.deepEqual(await weir('cli produce -topic orders -records a,,b,c'), {
    status: 0,
    out: 'PARTITION  OFFSET  VALUE\n0          0       a\n0          1       b,c\n',
    err: '',
  });
  assert.deepEqual(await weir('cli produce -topic orders -key k -records d -output json'), {
    status: 0,
    out: '{"topic":"orders","partition":0,"offset":2,"value":"d"}\n',
    err: '',
  });
  assert.deepEqual(stored(fake, 'orders', 0), ['null=a', 'null=b,c', 'k=d']);
});

test('records from standard input are its lines', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 } });
  const input = ['one\ntw', 'o\r\n', '\nlast', ' line'];
  const { status, out } = await weir('cli produce -topic orders', { input });
  assert.equal(status, 0);
  assert.equal(
    out,
    'PARTITION  OFFSET  VALUE\n0          0       one\n0          1       two\n0          2\n0          3       last line\n',
  );
  assert.deepEqual(stored(fake, 'orders', 0), ['null=one', 'null=two', 'null=', 'null=last line']);
});

test('empty input creates no topic', async (t) => {
  let mayHaveCreated = 0;
  const { weir } = await cluster(t, {
    topics: { orders: 1 },
    script: {
      Metadata({ allowAutoTopicCreation }) {
        if (allowAutoTopicCreation) mayHaveCreated++;
        return undefined;
      },
    },
  });
  assert.equal((await weir('cli produce -topic orders', { input: [] })).status, 0);
  assert.equal(mayHaveCreated, 0);
  assert.equal((await weir('cli produce -topic orders', { input: ['one'] })).status, 0);
  assert.equal(mayHaveCreated, 1);
});

test('a key determines the partition, and records without a key are distributed round robin', async (t) => {
  const { fake, weir } = await cluster(t, { brokers: 3, topics: { orders: 5 } });
  await weir('cli produce -topic orders -key hello -records a,,b');
  const chosen = partitionOfKey(Buffer.from('hello'), 5);
  assert.deepEqual(stored(fake, 'orders', chosen), ['hello=a', 'hello=b']);

  const { out } = await weir('cli produce -topic orders -records 0,,1,,2,,3,,4,,5 -output json');
  const partitions = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).partition);
  assert.deepEqual(partitions, [0, 1, 2, 3, 4, 0]);

  await weir('cli produce -topic orders -partition 3 -key hello -records x');
  assert.deepEqual(stored(fake, 'orders', 3).at(-1), 'hello=x');
});

test('each leader gets one request with its own partitions', async (t) => {
  const { fake, weir } = await cluster(t, { brokers: 2, topics: { orders: 4 } });
  assert.equal((await weir('cli produce -topic orders -records a,,b,,c,,d')).status, 0);
  const produced = fake.requests.filter(({ api }) => api === 'Produce').map(({ nodeId }) => nodeId);
  assert.deepEqual(produced.sort(), [1, 2]);
});

test('a partition whose leader has moved is sent again after a metadata lookup', async (t) => {
  const { fake, weir } = await cluster(t, {
    topics: { orders: 2 },
    script: {
      Produce({ topicData }, { earlier }) {
        if (earlier > 0) return undefined;
        const [{ name, topicId, partitionData }] = topicData as [(typeof topicData)[number]];
        const partitionResponses = partitionData.map(({ index }) => ({
          index,
          // Partition 0 is written, and only partition 1 must be sent again.
          errorCode: index === 0 ? 0 : errors.NOT_LEADER_OR_FOLLOWER.code,
          baseOffset: index === 0 ? 40n : -1n,
        }));
        return { responses: [{ name, topicId, partitionResponses }] };
      },
    },
  });
  assert.deepEqual(await weir('cli produce -topic orders -records a,,b'), {
    status: 0,
    out: 'PARTITION  OFFSET  VALUE\n0          40      a\n1          0       b\n',
    err: '',
  });
  assert.equal(fake.count('Produce'), 2);
  assert.deepEqual(stored(fake, 'orders', 0), []);
  assert.deepEqual(stored(fake, 'orders', 1), ['null=b']);
});

test('retries end', async (t) => {
  const { fake, weir } = await cluster(t, {
    topics: { orders: 1 },
    script: {
      Produce: ({ topicData: [topic] }) => ({
        responses: [
          {
            topicId: topic!.topicId,
            partitionResponses: [
              { index: 0, errorCode: errors.NOT_LEADER_OR_FOLLOWER.code, baseOffset: -1n },
            ],
          },
        ],
      }),
    },
  });
  assert.deepEqual(await weir('cli produce -topic orders -records a', { clock: leapingClock(14_000) }), {
    status: 1,
    out: '',
    err:
      'weir cli produce: topic orders, partition 0: NOT_LEADER_OR_FOLLOWER: ' +
      'Another broker serves this partition; refresh the metadata.\n',
  });
  // Retried after 14 and after 28 seconds, and not after 42.
  assert.equal(fake.count('Produce'), 3);
});

test('input that does not fit into the protocol is reported', async (t) => {
  const { weir } = await cluster(t, { topics: { orders: 1 } });
  const { status, err } = await weir(`cli list-topics -client-id ${'x'.repeat(40_000)}`);
  assert.equal(status, 1);
  assert.match(
    err,
    /^weir cli list-topics: clientId: 40000 bytes exceed the 32767 that a string can hold\n$/,
  );
});

test('written records are reported before failures', async (t) => {
  const { weir } = await cluster(t, {
    topics: { orders: 2 },
    script: {
      Produce({ topicData }) {
        const [{ name, topicId, partitionData }] = topicData as [(typeof topicData)[number]];
        const partitionResponses = partitionData.map(({ index }) =>
          index === 0
            ? { index, errorCode: 0, baseOffset: 3n }
            : { index, errorCode: errors.MESSAGE_TOO_LARGE.code, baseOffset: -1n, errorMessage: 'too much' },
        );
        return { responses: [{ name, topicId, partitionResponses }] };
      },
    },
  });
  assert.deepEqual(await weir('cli produce -topic orders -records a,,b'), {
    status: 1,
    out: 'PARTITION  OFFSET  VALUE\n0          3       a\n',
    err: 'weir cli produce: topic orders, partition 1: MESSAGE_TOO_LARGE: too much\n',
  });
});

test('records with an unknown outcome are never sent twice', async (t) => {
  const hangUp = await cluster(t, { topics: { orders: 1 }, script: { Produce: () => 'hang up' } });
  const lost = await hangUp.weir('cli produce -topic orders -records a');
  assert.match(lost.err, /closed the connection; .*; the records may have been written\n$/);
  assert.deepEqual([lost.status, hangUp.fake.count('Produce')], [1, 1]);

  const timedOut = await cluster(t, {
    topics: { orders: 1 },
    script: {
      Produce: ({ topicData: [topic] }) => ({
        responses: [
          {
            topicId: topic!.topicId,
            partitionResponses: [{ index: 0, errorCode: errors.REQUEST_TIMED_OUT.code, baseOffset: -1n }],
          },
        ],
      }),
    },
  });
  assert.match((await timedOut.weir('cli produce -topic orders -records a')).err, /REQUEST_TIMED_OUT/);
  assert.equal(timedOut.fake.count('Produce'), 1);
});

test('acks and compression follow the flags', async (t) => {
  const seen: number[] = [];
  let receivedZero = () => {};
  const zero = new Promise<void>((resolve) => {
    receivedZero = resolve;
  });
  const { fake, weir } = await cluster(t, {
    topics: { orders: 1 },
    script: {
      Produce({ acks }) {
        seen.push(acks);
        if (acks === 0) receivedZero();
        return undefined;
      },
    },
  });
  for (const codec of ['none', 'gzip', 'snappy', 'lz4', 'zstd']) {
    assert.equal(
      (await weir(`cli produce -topic orders -records aaaa,,bbbb -compression-codec ${codec}`)).status,
      0,
    );
    const batch = fake.topics.get('orders')!.partitions[0]!.batches.at(-1)!;
    assert.equal(new RecordBatchView(batch).codec, codec);
  }
  await weir('cli produce -topic orders -records a -acks 1');
  assert.equal(
    (await weir('cli produce -topic orders -records a -acks 0')).out,
    'PARTITION  OFFSET  VALUE\n0          -       a\n',
  );
  // There is no answer, so the command may end before the broker has read it.
  await zero;
  assert.deepEqual(seen.slice(-3), [-1, 1, 0]);
});

test('a topic without an id is produced to by name', async (t) => {
  const { fake, weir } = await cluster(t, { topics: { orders: 1 }, versions: { Metadata: [0, 9] } });
  assert.equal((await weir('cli produce -topic orders -records a')).status, 0);
  assert.equal((await weir('cli fetch -topic orders')).status, 0);
  const versions = fake.requests.filter(({ api }) => api === 'Produce' || api === 'Fetch');
  assert.deepEqual(
    versions.map(({ api, version }) => [api, version]),
    [
      ['Produce', 12],
      ['Fetch', 12],
    ],
  );
});
