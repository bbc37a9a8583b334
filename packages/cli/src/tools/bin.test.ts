/** Runs the tools through bin/weir, as a user would, against a cluster in this process. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { FakeKafka } from '@weir/client/testing';

const executable = join(import.meta.dirname, '../../../../bin/weir');

async function cluster(t: TestContext) {
  const fake = await FakeKafka.start({ topics: { orders: 1 } });
  t.after(() => fake.stop());
  return (argv: readonly string[]): ChildProcess =>
    spawn(executable, argv, {
      env: { SERVICE_BOOTSTRAP_HOST: '127.0.0.1', SERVICE_BOOTSTRAP_PORT: String(fake.port()) },
    });
}

async function finish(child: ChildProcess, input = '') {
  child.stdin!.end(input);
  const [out, err, [status]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { status, out, err };
}

test('piped input can be read back, and the process ends by itself', async (t) => {
  const weir = await cluster(t);
  assert.deepEqual(await finish(weir(['cli', 'produce', '-topic', 'orders']), 'one\ntwo\n'), {
    status: 0,
    out: 'PARTITION  OFFSET  VALUE\n0          0       one\n0          1       two\n',
    err: '',
  });
  const fetched = await finish(weir(['cli', 'fetch', '-topic', 'orders', '-output', 'json']));
  assert.deepEqual(
    fetched.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).value),
    ['one', 'two'],
  );
  assert.deepEqual(await finish(weir(['cli', 'delete-topic', '-topic', 'orders'])), {
    status: 0,
    out: 'deleted topic orders\n',
    err: '',
  });
  const gone = await finish(weir(['cli', 'fetch', '-topic', 'orders']));
  assert.deepEqual([gone.status, gone.out], [1, '']);
  assert.match(gone.err, /^weir cli fetch: topic orders: UNKNOWN_TOPIC_OR_PARTITION: [^\n]*\n$/);
});

test('Ctrl-C ends a waiting command without a message', async (t) => {
  const weir = await cluster(t);
  await finish(weir(['cli', 'produce', '-topic', 'orders', '-records', 'a']));
  const reading = weir(['cli', 'fetch', '-topic', 'orders', '-wait', '1h']);
  reading.stdout!.once('data', () => reading.kill('SIGINT'));
  const { status, err } = await finish(reading);
  assert.deepEqual({ status, err }, { status: 130, err: '' });

  const typing = weir(['cli', 'produce', '-topic', 'orders']);
  typing.stdin!.write('b\n');
  typing.stdout!.once('data', () => typing.kill('SIGINT'));
  const [[typingStatus], typingErr] = await Promise.all([
    once(typing, 'close') as Promise<[number | null]>,
    text(typing.stderr!),
  ]);
  assert.deepEqual([typingStatus, typingErr], [130, '']);
});
