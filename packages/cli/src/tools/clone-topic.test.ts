import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runArguments } from '../../testing/command-run.ts';
import { startTestApi } from '../../testing/test-api.ts';

test('a topic is cloned, and what is wrong is one line', async (t) => {
  const { url, key, client } = await startTestApi(t);
  const { virtual_cluster_id } = await client.call('create_virtual_cluster', {
    virtual_cluster_name: 'shop',
  });
  for (const [topic_name, partition_count] of [
    ['orders', 1],
    ['payments', 2],
  ] as const)
    await client.call('create_topic', { virtual_cluster_id, topic_name, partition_count });
  const run = (...words: readonly string[]) =>
    runArguments(['cli', 'clone-topic', ...words], {
      environment: { SERVICE_API_URL: url, SERVICE_API_KEY: key },
    });

  const shown = await run('-from', 'orders', '-to', 'orders-debug');
  assert.deepEqual(
    [shown.status, shown.err, shown.out.split('\n').map((line) => line.split(/ +/))],
    [
      0,
      '',
      [['TOPIC', 'PARTITION', 'START', 'END', 'REQUESTED'], ['orders-debug', '0', '0', '0', '-'], ['']],
    ],
  );
  const json = await run(
    '-from',
    'payments',
    '-to',
    'copy',
    '-output',
    'json',
    '-config',
    'retention.ms=7',
    '-at',
    '0:0',
  );
  const { topic, topicId, partitions } = JSON.parse(json.out);
  const partition = { start_offset: 0, end_offset: 0 };
  assert.deepEqual(
    [topic, partitions],
    [
      'copy',
      [
        { partition: 0, ...partition, requested_offset: 0 },
        { partition: 1, ...partition, requested_offset: null },
      ],
    ],
  );
  const described = await client.call('describe_topic', { virtual_cluster_id, topic_name: 'copy' });
  assert.deepEqual([described.topic_id, described.configs['retention.ms']], [topicId, '7']);
  assert.equal((await run('-from', 'orders', '-to', 'then', '-at', '2026-01-31T12:00:00Z')).status, 0);

  const cases: [words: readonly string[], status: number, problem: RegExp][] = [
    [['-from', 'none', '-to', 'copy'], 1, /Topic none not found/],
    [['-from', 'orders', '-to', 'copy'], 1, /Topic copy already exists/],
    [['-from', 'orders', '-to', 'no good'], 1, /topic_name/],
    [['-from', 'orders', '-to', 'other', '-at', '7'], 1, /has offsets from 0 to 0; 7 is outside/],
    [
      ['-from', 'payments', '-to', 'other', '-at', '0'],
      1,
      /has 2 partitions, and offset 0 is a different record/,
    ],
    [['-from', 'orders', '-to', 'other', '-at', 'yesterday'], 2, /-at.*an offset such as 42/],
    [['-from', '__service_x', '-to', 'other'], 1, /__service_x belongs to the service/],
    [['-to', 'other'], 2, /-from/],
    [['-from', 'orders'], 2, /-to/],
  ];
  for (const [words, status, problem] of cases) {
    const failed = await run(...words);
    assert.deepEqual([failed.status, failed.out], [status, ''], failed.err);
    assert.match(failed.err, problem);
    assert.equal(failed.err.trimEnd().split('\n').length, 1, failed.err);
  }
});
