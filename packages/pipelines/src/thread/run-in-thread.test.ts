import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LogFields, systemClock } from '@weir/core';
import { InstanceFailed, runInThread, type ThreadOwner } from './run-in-thread.ts';
import type { PipelineCounts, ThreadStart } from './thread-messages.ts';

const hostile = new URL(import.meta.resolve('../../testing/hostile-worker.ts'));

const startOf = (yaml: string, more: Partial<ThreadStart> = {}): ThreadStart => ({
  yaml,
  secrets: {},
  variables: {},
  allowedHosts: [],
  ...more,
});

/** An owner that keeps what it receives. */
function ownerOf(more: Partial<ThreadOwner> = {}) {
  const counts: PipelineCounts[] = [];
  const lines: string[] = [];
  const fields: LogFields[] = [];
  const stop = new AbortController();
  const taken: number[] = [];
  const owner: ThreadOwner = {
    clock: systemClock,
    signal: stop.signal,
    onLog(level, message, found) {
      lines.push(`${level} ${message}`);
      fields.push(found);
    },
    onCounts: (found) => counts.push(found),
    take: async (bytes) => void taken.push(bytes),
    ...more,
  };
  const sum = (name: 'receivedMessages' | 'sentMessages') =>
    counts.reduce((total, found) => total + found[name], 0);
  return { owner, stop, counts, lines, fields, taken, sum };
}

test('an instance runs until its input ends, and says what it did', async () => {
  const { owner, sum, taken } = ownerOf();
  const yaml = 'input: {generate: {mapping: root.n = 1, count: 50, interval: ""}}\noutput: {drop: {}}';
  await runInThread(startOf(yaml), owner);
  assert.deepEqual([sum('receivedMessages'), sum('sentMessages')], [50, 50]);
  assert.ok(taken.length > 0, 'its bytes count for the rate limit of the agent');
});

test('an instance that is stopped ends without a failure', async () => {
  const { owner, stop, sum } = ownerOf({});
  const yaml = 'input: {generate: {mapping: root.n = 1, interval: 1ms}}\noutput: {drop: {}}';
  const running = runInThread(startOf(yaml), {
    ...owner,
    onCounts(counts) {
      owner.onCounts(counts);
      stop.abort();
    },
  });
  await running;
  assert.equal(sum('receivedMessages'), sum('sentMessages'));
});

for (const [every, runs] of [
  ['20ms', 3],
  ['1h', 1],
] as const)
  test(`an instance that is scheduled every ${every} runs again that long after its input ended`, async () => {
    const { owner, stop, sum } = ownerOf();
    const count = 5;
    const yaml = `input: {generate: {mapping: root.n = 1, count: ${count}, interval: ""}}
output: {drop: {}}
service: {scheduling: {run_every: ${every}}}`;
    await runInThread(startOf(yaml), {
      ...owner,
      onCounts(counts) {
        owner.onCounts(counts);
        // It also ends in the middle of a pause.
        if (sum('sentMessages') >= runs * count) stop.abort();
      },
    });
    assert.ok(sum('sentMessages') >= runs * count);
    assert.equal(sum('sentMessages'), sum('receivedMessages'));
    if (runs === 1) assert.equal(sum('sentMessages'), count);
  });

test('values of secrets and variables are put in within the thread, and no other variable is there', async () => {
  const yaml = `input: {generate: {mapping: 'root = env("HOME").or("none") + env("WEIR_PIPELINE_A")', count: "\${secret:n}", interval: ""}}
output: {drop: {}}
pipeline:
  processors:
    - mapping: 'root = if content().string() != "nonea" { throw("an unexpected value") }'
error_handling: {strategy: none, log: {enabled: true}}`;
  const { owner, sum, lines } = ownerOf();
  await runInThread(startOf(yaml, { secrets: { n: '2' }, variables: { WEIR_PIPELINE_A: 'a' } }), owner);
  assert.equal(sum('sentMessages'), 2);
  assert.deepEqual(lines, []);
});

test('a configuration that cannot run is told with its line', async () => {
  const { owner } = ownerOf();
  const yaml = `input: {generate: {mapping: root = 1, count: "\${secret:gone}"}}\noutput: {drop: {}}`;
  await assert.rejects(runInThread(startOf(yaml), owner), (error) => {
    assert.ok(error instanceof InstanceFailed);
    assert.equal(error.needsOperator, true);
    assert.match(error.message, /^line 1, column 46: the configuration names the secret gone/);
    return true;
  });
});

const limits = {
  threadHeapMiBMax: 32,
  threadBufferMiBMax: 64,
  silenceMsMax: 60_000,
  drainMsMax: 200,
  beatMs: 50,
};

// biome-ignore format: a table
const ends: readonly [how: string, message: RegExp][] = [
  ['loop',    /^it did not yield for 3 s$/],
  ['heap',    /^it used more than 32 MiB of memory$/],
  ['buffers', /^it used more than 64 MiB of memory$/],
  ['crash',   /^the thread failed: broken in two lines$/],
  ['exit',    /^the thread ended$/],
];

for (const [how, message] of ends) {
  test(`a thread with a mistake (${how}) ends alone, with one line`, async () => {
    // What takes memory may take long for it on a busy machine.
    const silenceMsMax = how === 'loop' ? 3_000 : limits.silenceMsMax;
    const { owner } = ownerOf({ worker: hostile, limits: { ...limits, silenceMsMax } });
    await assert.rejects(runInThread(startOf(how), owner), { message });
  });
}

test('a thread that does not stop is ended', async () => {
  const { owner, stop } = ownerOf();
  const running = runInThread(startOf('never ends'), {
    ...owner,
    worker: hostile,
    limits,
    onLog: () => stop.abort(),
  });
  await assert.rejects(running, { message: 'it did not end in time' });
});

test('values of secrets do not leave the thread in lines and failures', async () => {
  const yaml = `input: {generate: {mapping: 'root = "x"', count: 1, interval: ""}}
pipeline:
  processors:
    - mapping: 'root = throw("planted-one at planted-two with planted-three and planted-four")'
output:
  switch:
    cases:
      - check: 'false'
        output:
          http_client:
            url: https://public.example
            basic_auth: {enabled: true, username: u, password: "\${secret:one}"}
            tls: {enabled: true, client_certs: [{cert: c, key: planted-two}]}
      - check: 'false'
        output: {redis_pubsub: {url: 'redis://user:planted-four@public.example:6379', channel: c}}
      - output: {drop: {}}
error_handling: {log: {enabled: true, add_payload: true}}`;
  const { owner, lines, fields } = ownerOf();
  await runInThread(startOf(yaml, { secrets: { one: 'planted-one', unused: 'planted-three' } }), owner).catch(
    (error: Error) => lines.push(error.message),
  );
  const all = JSON.stringify([lines, fields]);
  assert.doesNotMatch(all, /planted/);
  assert.match(all, /\*\*\* at \*\*\* with \*\*\* and \*\*\*/);
});
