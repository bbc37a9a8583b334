import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runArguments } from '../../testing/command-run.ts';

const ports = [
  '-kafkaPort',
  '0',
  '-httpPort',
  '0',
  '-consolePort',
  '0',
  '-schemaRegistryPort',
  '0',
  '-logLevel',
  'error',
];

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-missing-bucket-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a playground until it is stopped. */
async function serve(t: TestContext, argv: readonly string[]) {
  const stop = new AbortController();
  const ready = Promise.withResolvers<string>();
  let printed = '';
  const running = runArguments(['playground', ...ports, ...argv], {
    stop: stop.signal,
    onOut(text) {
      printed += text;
      if (printed.includes('Ctrl-C stops it.')) ready.resolve(printed);
    },
  });
  running.then(({ err }) => ready.reject(new Error(`it has ended: ${err}`)), ready.reject);
  const stopped = async () => {
    stop.abort();
    return await running;
  };
  t.after(async () => void (await stopped()));
  const text = await ready.promise;
  const kafkaPort = /Kafka +\S+:(\d+)/.exec(text)![1]!;
  const url = /HTTP +(\S+)/.exec(text)![1]!;
  return {
    stopped,
    cli: (...line: string[]) => runArguments(['cli', ...line, '-bootstrap-port', kafkaPort]),
    probe: async (path: string) => await (await fetch(`${url}${path}`)).text(),
  };
}

test('a bucket that is gone is an error and not an empty topic, until it is back, and is never made again', async (t) => {
  const folder = newFolder(t);
  const [bucket, away] = [join(folder, 'bucket'), join(folder, 'away')];
  const argv = ['-dataDir', join(folder, 'data'), '-bucketURL', `file://${bucket}`];
  const playground = await serve(t, [...argv, '-enablePrometheusMetrics']);
  assert.equal(await playground.probe('/v1/ready'), 'OK');
  await playground.cli('create-topic', '-topic', 'orders');
  await playground.cli('produce', '-topic', 'orders', '-records', 'one');
  const fetchAll = (...flags: string[]) =>
    playground.cli('fetch', '-topic', 'orders', '-output', 'json', ...flags);

  renameSync(bucket, away);
  // The tool tries again for a second, which may be over before the agent has read anything.
  do {
    const missing = await fetchAll('-request-timeout', '1s');
    assert.deepEqual([missing.status, missing.out], [1, '']);
  } while (!/operation="getRange",outcome="bucketMissing"/.test(await playground.probe('/metrics')));
  assert.equal(await playground.probe('/v1/status'), 'OK', 'the process is alive');
  const scrubbed = await runArguments(['cli', 'file-scrubber', '-bucketURL', `file://${bucket}`]);
  assert.equal(scrubbed.status, 1);
  assert.match(scrubbed.err, /the directory does not exist/);
  assert.equal(existsSync(bucket), false);

  renameSync(away, bucket);
  const found = await fetchAll();
  assert.deepEqual([found.status, JSON.parse(found.out).value], [0, 'one'], found.err);
  const { err } = await playground.stopped();
  assert.match(err, /"failed to read batches".*the directory does not exist/);
  assert.doesNotMatch(err, /found damaged file/);

  renameSync(bucket, away);
  const again = await runArguments(['playground', ...ports, ...argv, '-checkBucketAccessRetryCount', '0']);
  assert.equal(again.status, 1);
  assert.match(
    again.err,
    /^weir playground: -bucketURL: file:\S+ bucket not found: the directory does not exist; .*\n$/m,
  );
  assert.equal(existsSync(bucket), false);
});

for (const scheme of ['file', 'sqlite']) {
  test(`a control plane waits for the first agent to make a ${scheme}:// bucket`, async (t) => {
    const folder = newFolder(t);
    const bucket = join(folder, 'bucket');
    const stop = new AbortController();
    const bucketFlags = ['-bucketURL', `${scheme}://${bucket}`, '-checkBucketAccessRetryCount', '0'];
    const argv = ['-dataDir', join(folder, 'data'), '-consolePort', '0', '-bindAddress', '127.0.0.1'];
    let printed = '';
    const { status, err } = await runArguments(['control-plane', ...argv, ...bucketFlags], {
      stop: stop.signal,
      onOut(text) {
        printed += text;
        if (printed.includes('serves')) stop.abort();
      },
    });
    assert.deepEqual([status, existsSync(bucket)], [0, false], err);
    assert.match(err, /"found no bucket at -bucketURL, waiting for the first agent to make it"/);
  });
}

test('a playground whose store cannot be reached does not call itself ready', async (t) => {
  const closed = createServer().listen(0, '127.0.0.1');
  const { port } = await new Promise<{ port: number }>((resolve) =>
    closed.once('listening', () => resolve(closed.address() as { port: number })),
  );
  await new Promise((resolve) => closed.close(resolve));
  const endpoint = `endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true`;
  const bucket = ['-bucketURL', `s3://orders?${endpoint}`, '-checkBucketAccessRetryCount', '0'];
  const { status, out, err } = await runArguments(
    ['playground', ...ports, '-dataDir', join(newFolder(t), 'data'), ...bucket],
    { environment: { AWS_ACCESS_KEY_ID: 'AK', AWS_SECRET_ACCESS_KEY: 'SK' } },
  );
  assert.deepEqual([status, out.includes('is ready')], [1, false], err);
  assert.match(
    err,
    /^weir playground: -bucketURL: s3:\/\/orders: failed to list objects: .*ECONNREFUSED.*\n$/m,
  );
});
