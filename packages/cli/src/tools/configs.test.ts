import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKafka } from '@weir/client/testing';
import { runLine } from '../../testing/command-run.ts';
import { startLocalCluster } from '../../testing/local-cluster.ts';

/** The line of one config in a table. */
function line(out: string, name: string): string | undefined {
  return out
    .split('\n')
    .find((row) => row.startsWith(`${name} `))
    ?.replaceAll(/ +/g, ' ');
}

test('configs of a topic are shown, set and reset', async (t) => {
  const { weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders -config retention.ms=1000');
  const shown = async () => (await weir('cli describe-topic-configs -topic orders')).out;
  assert.match(await shown(), /^CONFIG +VALUE +SOURCE +CHANGEABLE\n/);
  assert.equal(line(await shown(), 'retention.ms'), 'retention.ms 1000 topic yes');
  assert.equal(line(await shown(), 'cleanup.policy'), 'cleanup.policy delete default yes');

  assert.deepEqual(await weir('cli alter-topic-configs -topic orders -config retention.ms=2000'), {
    status: 0,
    out: 'CONFIG        VALUE\nretention.ms  2000\n',
    err: '',
  });
  assert.equal(line(await shown(), 'retention.ms'), 'retention.ms 2000 topic yes');

  assert.deepEqual(
    await weir('cli delete-topic-config -topic orders -config-name retention.ms -output json'),
    { status: 0, out: '[{"config":"retention.ms","value":null}]\n', err: '' },
  );
  assert.match(line(await shown(), 'retention.ms')!, /^retention\.ms \d+ default yes$/);
});

test('configs of the cluster are shown, set and reset', async (t) => {
  const { weir } = await startLocalCluster(t);
  const partitions = async () => {
    const { out } = await weir('cli describe-broker-configs -output json');
    const found = (JSON.parse(out) as { name: string; value: string; source: string }[]).find(
      ({ name }) => name === 'num.partitions',
    )!;
    return [found.value, found.source];
  };
  const before = await partitions();
  assert.equal(before[1], 'default');
  assert.equal((await weir('cli alter-broker-configs -config num.partitions=7')).status, 0);
  assert.deepEqual(await partitions(), ['7', 'cluster']);
  assert.equal((await weir('cli delete-broker-config --config-name num.partitions')).status, 0);
  assert.deepEqual(await partitions(), before);
});

test('an invalid change is reported and changes nothing', async (t) => {
  const { weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders');
  const cases: readonly [words: string, status: number, err: RegExp][] = [
    ['describe-topic-configs -topic nope', 1, /topic nope: UNKNOWN_TOPIC_OR_PARTITION/],
    ['alter-topic-configs -topic orders -config retention.ms=soon', 1, /topic orders: INVALID_CONFIG/],
    ['alter-topic-configs -topic orders -config nope=1', 1, /unknown config nope$/m],
    [
      'delete-topic-config -topic orders -config-name retention.m',
      1,
      /unknown config retention\.m; did you mean retention\.ms\?/,
    ],
    ['delete-broker-config -config-name x', 1, /unknown config x$/m],
    ['delete-broker-config', 2, /-config-name is required/],
    ['alter-broker-configs', 2, /-config is required/],
    ['alter-topic-configs -config a=b', 2, /-topic is required/],
  ];
  for (const [words, status, err] of cases) {
    const found = await weir(`cli ${words}`);
    assert.deepEqual([found.status, found.out], [status, ''], words);
    assert.match(found.err, err);
  }
});

test('sizes of partitions are shown as every broker reports them', async (t) => {
  const fake = await FakeKafka.start({
    brokers: 2,
    topics: { orders: 2, other: 1 },
    script: {
      DescribeLogDirs: ({ topics }, { nodeId }) => {
        const names = topics === null ? ['orders', 'other'] : topics.map(({ topic }) => topic);
        const partition = { partitionIndex: nodeId - 1, offsetLag: 0n, isFutureKey: false };
        const future = { ...partition, partitionSize: 1n, isFutureKey: true };
        const partitions = [{ ...partition, partitionSize: BigInt(nodeId * 100) }, future];
        return {
          throttleTimeMs: 0,
          results: [{ errorCode: 0, logDir: '/data', topics: names.map((name) => ({ name, partitions })) }],
        };
      },
    },
  });
  t.after(() => fake.stop());
  const weir = (words: string) =>
    runLine(`cli describe-log-dirs ${words} -bootstrap-host 127.0.0.1 -bootstrap-port ${fake.port()}`);
  const { status, out } = await weir('-topic orders');
  assert.equal(status, 0);
  assert.match(
    out,
    /^TOPIC +PARTITION +BYTES +LAG +BROKER +DIRECTORY\norders +0 +100 +0 +1 .*\/data\norders +1 +200 +0 +2 .*\/data\n$/,
  );
  const rows = JSON.parse((await weir('-output json')).out) as { topic: string; bytes: number }[];
  assert.deepEqual(
    rows.map(({ topic, bytes }) => [topic, bytes]),
    [
      ['orders', 100],
      ['orders', 200],
      ['other', 100],
      ['other', 200],
    ],
  );
});

test('written records have a size', async (t) => {
  const { weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders');
  await weir('cli produce -topic orders -records a,,b');
  const [row] = JSON.parse((await weir('cli describe-log-dirs -topic orders -output json')).out);
  assert.equal(row.topic, 'orders');
  assert.ok(row.bytes > 0);
});
