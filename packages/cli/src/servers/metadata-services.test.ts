import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lookUpZone } from '@weir/broker';
import { systemClock } from '@weir/core';
import { watchDials } from '@weir/storage/testing';
import { runArguments } from '../../testing/command-run.ts';
import { startLocalCluster } from '../../testing/local-cluster.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-metadata-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const freePorts = ['-kafkaPort', '0', '-httpPort', '0', '-consolePort', '0', '-schemaRegistryPort', '0'];

test('requests of an agent without -availabilityZone to the metadata service are detected', async (t) => {
  const dials = watchDials(t);
  const found = await lookUpZone({ clock: systemClock, environment: {}, wantsId: false, stop: t.signal });
  assert.ok('problem' in found);
  assert.deepEqual(
    new Set(dials.metadataServices()),
    new Set(['169.254.169.254', 'metadata.google.internal']),
  );
});

test('local calls no metadata service, and opens no outgoing connection', async (t) => {
  const dials = watchDials(t);
  const local = await startLocalCluster(t);
  for (const line of ['cli create-topic -topic orders', 'cli produce -topic orders -records a']) {
    const { status, err } = await local.weir(line);
    assert.equal(status, 0, err);
  }
  assert.deepEqual(new Set(dials.hosts), new Set(['localhost']));
});

test('a playground with an S3 bucket and no credentials reports that, and calls no metadata service', async (t) => {
  const dials = watchDials(t);
  // Answers like a store that rejects credentials, in case this machine has some.
  const server = createServer((_request, response) => void response.writeHead(403).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = `s3://bucket?endpoint=127.0.0.1:${port}&disableSSL=true&s3ForcePathStyle=true`;
  const argv = ['playground', ...freePorts, '-dataDir', folderOf(t), '-bucketURL', url];
  const { status, err } = await runArguments([...argv, '-logLevel', 'error']);
  assert.equal(status, 1);
  assert.match(err, /^weir playground: -bucketURL: s3:\/\/bucket: [^\n]+\n$/);
  assert.deepEqual(dials.metadataServices(), []);
});
