import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GroupMember, KafkaCluster } from '@weir/client';
import { systemClock } from '@weir/core';
import { startLocalCluster } from '../../testing/local-cluster.ts';

/** Two partitions with five and three records, of which the group has read two and none. */
async function startCluster(t: TestContext) {
  const { port, weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic orders -partitions 2');
  await weir('cli produce -topic orders -partition 0 -records a,,b,,c,,d,,e');
  await weir('cli produce -topic orders -partition 1 -records f,,g,,h');
  const cluster = new KafkaCluster({
    bootstrap: [{ host: '127.0.0.1', port }],
    clientId: 'reader',
    timeoutMs: 10_000,
    clock: systemClock,
    stop: new AbortController().signal,
  });
  t.after(() => cluster.close());
  const timeouts = { sessionTimeoutMs: 30_000, rebalanceTimeoutMs: 30_000 };
  const member = new GroupMember(cluster, { groupId: 'billing', topicName: 'orders', ...timeouts });
  await member.join();
  await member.commit(new Map([[0, 2n]]));
  return { weir, leave: () => member.leave(cluster) };
}

test('a preview changes nothing, and a group with members is not reset', async (t) => {
  const { weir, leave } = await startCluster(t);
  const active =
    'group billing has an active member (state Stable); stop its consumers, then reset its offsets\n';
  const preview =
    'group billing: preview of 2 partitions; reset them with -confirm-reset-offsets\n' +
    'TOPIC   PARTITION  CURRENT  NEW  CHANGE  LAG\n' +
    'orders  0          2        5    +3      0\n' +
    'orders  1          -        3    -       0\n';
  assert.deepEqual(await weir('cli reset-offsets -group billing -topic orders -to-latest'), {
    status: 0,
    out: preview,
    err: `weir cli reset-offsets: warning: ${active}`,
  });
  assert.deepEqual(
    await weir('cli reset-offsets -group billing -topic orders -to-latest -confirm-reset-offsets'),
    { status: 1, out: '', err: `weir cli reset-offsets: ${active}` },
  );
  await leave();
  assert.deepEqual(await weir('cli reset-offsets -group billing -topic orders -to-latest -dry-run'), {
    status: 0,
    out: preview,
    err: '',
  });
  const lag = JSON.parse((await weir('cli consumer-group-lag -group billing -output json')).out);
  assert.equal(lag.partitions[0].committedOffset, 2);
});

test('a confirmed reset commits the new offsets, from wherever they come', async (t) => {
  const { weir, leave } = await startCluster(t);
  await leave();
  const folder = mkdtempSync(join(tmpdir(), 'weir-offsets-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'offsets.csv');
  writeFileSync(file, 'orders,0,1\n"orders",1,9\n');

  // Each row starts from what the one before has left.
  const rows: readonly [flags: string, change: readonly string[], warnings?: RegExp][] = [
    ['-topic orders:0 -shift-by -1', ['orders 0 2 1 -1 4']],
    [
      '-all-topics -shift-by 99',
      ['orders 0 1 5 +4 0'],
      /partition 0: offset 100 is out of range; using 5\n$/,
    ],
    ['-all-topics -to-current', ['orders 0 5 5 0 0']],
    ['-topic orders -to-offset 2', ['orders 0 5 2 -3 3', 'orders 1 - 2 - 1']],
    ['-all-topics -to-earliest', ['orders 0 2 0 -2 5', 'orders 1 2 0 -2 3']],
    ['-topic orders:1 -by-duration PT0S', ['orders 1 0 3 +3 0']],
    ['-topic orders:1 -by-duration 1d', ['orders 1 3 0 -3 3']],
    ['-topic orders -to-datetime 2001-01-01T00:00:00.000', ['orders 0 0 0 0 5', 'orders 1 0 0 0 3']],
    [
      `-from-file ${file}`,
      ['orders 0 0 1 +1 4', 'orders 1 0 3 +3 0'],
      /partition 1: offset 9 is out of range/,
    ],
  ];
  for (const [flags, change, warnings = /^$/] of rows) {
    const { status, out, err } = await weir(`cli reset-offsets -group billing ${flags} --execute`);
    assert.equal(status, 0, err);
    assert.match(err, warnings);
    const [headline, , ...lines] = out.trimEnd().split('\n');
    assert.match(headline!, /^group billing: reset [12] partitions?$/, flags);
    assert.deepEqual(
      lines.map((line) => line.replaceAll(/ +/g, ' ')),
      change,
      flags,
    );
    const lag = await weir('cli consumer-group-lag -group billing');
    for (const line of change) {
      const [topic, partition, , offset] = line.split(' ');
      assert.match(lag.out, new RegExp(`^${topic} +${partition} +${offset} `, 'm'), flags);
    }
  }
});

test('offsets are exported and imported, also into a new group', async (t) => {
  const { weir, leave } = await startCluster(t);
  await leave();
  const exported = await weir('cli reset-offsets -group billing -topic orders -to-offset 2 -export');
  assert.deepEqual(exported, { status: 0, out: 'orders,0,2\norders,1,2\n', err: '' });
  const json = await weir('cli reset-offsets -group billing -all-topics -to-current -output json');
  assert.deepEqual(JSON.parse(json.out), {
    group: 'billing',
    state: 'Empty',
    isReset: false,
    partitions: [{ topic: 'orders', partition: 0, currentOffset: 2, newOffset: 2, change: 0, lag: 3 }],
  });
  for (const input of [exported.out, json.out]) {
    const copied = await weir('cli reset-offsets -group copy -from-file - -confirm-reset-offsets', {
      input: [input],
    });
    assert.equal(copied.status, 0, copied.err);
    assert.match(copied.out, /^orders +0 +[-2] +2 +[-0] +3$/m);
  }
  const lag = JSON.parse((await weir('cli consumer-group-lag -group copy -output json')).out);
  assert.equal(lag.totalLag, 4);
});

test('a mistake is one line', async (t) => {
  const { weir, leave } = await startCluster(t);
  await leave();
  const say = 'weir cli reset-offsets: ';
  const cases: readonly [flags: string, status: number, err: RegExp][] = [
    ['-topic orders -to-latest', 2, /-group is required\n$/],
    ['-group billing -topic orders', 2, /-to-offset is required, or another target/],
    ['-group billing -to-latest', 2, /-topic is required, or -all-topics\n$/],
    ['-group billing -topic orders:x -to-latest', 2, /-topic=orders:x: topics such as .* are allowed\n$/],
    ['-group billing -all-topics -topic orders -to-latest', 2, /set one of them\n$/],
    [
      '-group billing -all-topics -to-latest -shift-by 1',
      2,
      /-to-latest=true with -shift-by=1: set one target/,
    ],
    ['-group billing -all-topics -to-latest -dry-run -execute', 2, /set one of them\n$/],
    ['-group billing -all-topics -to-latest -export -output json', 2, /set one of them\n$/],
    ['-group nope -all-topics -to-latest', 1, /group nope has no committed offsets; set -topic/],
    ['-group billing -topic nope -to-latest', 1, /topic nope: UNKNOWN_TOPIC_OR_PARTITION: /],
    [
      '-group billing -topic orders:7 -to-latest',
      1,
      /topic orders has no partition 7; its partitions are 0 to 1\n$/,
    ],
    ['-group billing -topic orders:1 -shift-by 1', 1, /partition 1: no committed offset to shift/],
    ['-group billing -from-file /no/such', 1, /-from-file=\/no\/such: failed to read the file \(ENOENT\)\n$/],
  ];
  for (const [flags, status, err] of cases) {
    const found = await weir(`cli reset-offsets ${flags}`);
    assert.deepEqual([found.status, found.out], [status, ''], flags);
    assert.match(found.err, err);
    assert.ok(found.err.startsWith(say) && found.err.indexOf('\n') === found.err.length - 1, found.err);
  }
});
