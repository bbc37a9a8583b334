import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { PipelineHosts } from './pipeline-hosts.ts';
import { InstanceFailed } from './run-in-thread.ts';

const hosts = new PipelineHosts(systemClock);
after(() => hosts.end());

const endless = 'input: {generate: {mapping: root = 1, interval: 10ms}}\noutput: {drop: {}}';

/** Starts an instance; `seen` resolves when it has written something. */
function started(key: string, yaml: string, drainMsMax?: number) {
  const stop = new AbortController();
  const { promise: seen, resolve } = Promise.withResolvers<void>();
  const start = { yaml, secrets: {}, variables: {}, allowedHosts: [] };
  const ended = hosts.run(key, start, {
    signal: stop.signal,
    drainMsMax: () => drainMsMax,
    onLog() {},
    onCounts: ({ sentMessages }) => {
      if (sentMessages > 0) resolve();
    },
    take: async () => {},
  });
  const first = Promise.race([seen, ended]);
  first.catch(() => undefined);
  return { seen: first, ended, stop: () => stop.abort() };
}

test('an instance runs until its input ends, or until it is stopped', async () => {
  await started('one', endless.replace('interval: 10ms', 'interval: "", count: 3')).ended;
  const endlessOne = started('one', endless);
  await endlessOne.seen;
  endlessOne.stop();
  await endlessOne.ended;
});

test('an instance that has little time to write what it has read is ended', async () => {
  const stuck = `${endless}\npipeline: {processors: [{sleep: {duration: '\${! if counter() > 3 { "1h" } else { "1ms" } }'}}]}`;
  const { seen, ended, stop } = started('stuck', stuck, 10);
  await seen;
  stop();
  await assert.rejects(ended, { message: 'it did not end in time' });
});

test('a configuration that cannot run needs an operator', async () => {
  await assert.rejects(started('bad', 'input: {}').ended, (error: InstanceFailed) => error.needsOperator);
});

test('instances share a process; after its end each has its own', async () => {
  const [one, two] = [started('one', endless), started('two', endless)];
  await Promise.all([one.seen, two.seen]);
  const [shared, ...others] = hosts.pids;
  assert.deepEqual(others, []);
  process.kill(shared!, 'SIGKILL');
  for (const { ended } of [one, two])
    await assert.rejects(ended, (error) => error instanceof InstanceFailed && !error.needsOperator);
  const again = [started('one', endless), started('two', endless)];
  await Promise.all(again.map(({ seen }) => seen));
  const pids = new Set(hosts.pids);
  assert.ok(pids.size === 2 && !pids.has(shared!));
  for (const { stop } of again) stop();
  await Promise.all(again.map(({ ended }) => ended));
});
