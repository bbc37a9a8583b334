import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { DatabaseProblem } from '@weir/controlplane/process';
import { Failure, Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { openStore } from '@weir/storage';
import { runArguments } from '../../testing/command-run.ts';
import { explainingStart } from './explaining-start.ts';

const deps = {
  clock: systemClock,
  random: systemRandom,
  environment: {},
  log: silentLog,
  metrics: new Metrics(),
};

for (const url of [
  'gs://bucket',
  'azblob://container',
  'postgres://host',
  'postgresql://host/database?unknown=1',
  'sqlite://host/file',
  'service_multi://mem://a<>mem://a',
  'service_stripe://mem://a<>service_multi://mem://b<>mem://c',
  's3://bucket?unknown=1',
  's3://bucket?s3ForcePathStyle=maybe',
  's3://bucket/folder',
  's3://UPPER',
  'file:///dev/null/below',
]) {
  test(`a server reports in one line that it cannot use ${url}`, async () => {
    await assert.rejects(
      explainingStart({}, () => openStore(url, deps)),
      (error) => error instanceof Failure && /^-bucketURL: [^\n]+$/.test(error.message),
    );
  });
}

test('an agent that requires the direct path of Google refuses a gs:// bucket in one line', async () => {
  const cluster = [
    '-metadataURL',
    'http://127.0.0.1:9',
    '-agentKey',
    'aks_x',
    '-defaultVirtualClusterID',
    'vci_1',
  ];
  const place = ['-availabilityZone', 'test', '-discoveryKafkaHostnameOverride', 'localhost'];
  const bucket = ['-bucketURL=gs://bucket', '-gcsDirectConnectivityRequired'];
  const { status, err } = await runArguments([
    'agent',
    ...bucket,
    ...cluster,
    ...place,
    '-logLevel',
    'error',
  ]);
  assert.equal(status, 1);
  assert.match(
    err,
    /^weir agent: -bucketURL: gs:\/\/bucket: -gcsDirectConnectivityRequired cannot hold: [^\n]+\n$/,
  );
});

test('an unusable database is reported in one line, and a bug keeps its stack', async () => {
  const failing = (error: Error) => explainingStart({}, () => Promise.reject(error));
  await assert.rejects(failing(new DatabaseProblem('x.db: damaged')), new Failure('x.db: damaged'));
  const bug = new TypeError('bug');
  await assert.rejects(failing(bug), bug);
});

test('all ports in use are named in one line', async (t) => {
  const servers = await Promise.all(
    [0, 1].map(async () => {
      const server = createServer().listen(0, '127.0.0.1');
      t.after(() => server.close());
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    }),
  );
  const [kafkaPort = 0, consolePort = 0] = servers;
  await assert.rejects(
    explainingStart({ kafkaPort, httpPort: 0, consolePort }, () => assert.fail('started'), '127.0.0.1'),
    new Failure(
      `ports ${kafkaPort} and ${consolePort} are in use; set others with -kafkaPort and -consolePort`,
    ),
  );
});
