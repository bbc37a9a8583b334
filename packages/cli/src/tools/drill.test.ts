import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLine } from '../../testing/command-run.ts';
import { startLocalCluster } from '../../testing/local-cluster.ts';

interface Report {
  readonly partitions: number;
  readonly sent: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly worstPartitionGapMs: number;
  readonly faultStatus: number | null;
  readonly problems: readonly string[];
}

const drill = 'cli drill -topic drill -drill-for 1s -output json';

test('a drill of a healthy cluster passes, and reports the command that it ran', async (t) => {
  const { run: weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic drill -partitions 3');
  await weir('cli produce -topic drill -partition 0 -records earlier,,other');
  const { status, out, err } = await weir(`${drill} -- false`);
  assert.equal(status, 0, err);
  const report = JSON.parse(out) as Report;
  assert.deepEqual([report.partitions, report.lost, report.problems], [3, 0, []]);
  assert.ok(report.sent > 3 && report.acknowledged === report.sent);
  assert.equal(report.faultStatus, 1);

  const impatient = await weir(`${drill} -max-gap 1ms`);
  assert.equal(impatient.status, 1);
  const { problems, faultStatus } = JSON.parse(impatient.out) as Report;
  assert.match(problems.join(), /^partition \d was without an acknowledgement for \S+; 1ms are allowed$/);
  assert.equal(faultStatus, null);
  assert.match(impatient.err, /cause the fault now/);

  const unknown = await weir(`${drill} -- no-such-command-of-anybody`);
  assert.equal(unknown.status, 1);
  assert.match(unknown.err, /failed to run no-such-command-of-anybody: command not found/);
});

test('a lightning topic is drilled without numbers', async (t) => {
  const { run: weir } = await startLocalCluster(t);
  await weir('cli create-topic -topic drill -partitions 1 -config service.topic.type=lightning');
  const { status, out, err } = await weir(`${drill} -idempotent=false`);
  assert.equal(status, 0, err);
  assert.equal((JSON.parse(out) as Report).lost, 0);
});

test('a drill needs a topic that exists', async () => {
  assert.equal((await runLine('cli drill')).status, 2);
});
