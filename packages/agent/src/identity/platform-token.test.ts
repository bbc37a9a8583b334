import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { platformToken } from './platform-token.ts';

const jwt = 'aGVhZA.Ym9keQ.c2ln';
const stop = new AbortController().signal;

async function metadataService(t: TestContext, answer: string) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const isGoogle = request.headers['metadata-flavor'] === 'Google';
    response.writeHead(isGoogle ? 200 : 403).end(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, gcpAddress: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('gcp: the metadata service signs for the audience', async (t) => {
  const { requests, gcpAddress } = await metadataService(t, `${jwt}\n`);
  const token = platformToken('gcp', { clock: systemClock, environment: {}, gcpAddress });
  assert.equal(await token('weir://vci_1', stop), jwt);
  assert.deepEqual(requests, [
    'GET /computeMetadata/v1/instance/service-accounts/default/identity?audience=weir%3A%2F%2Fvci_1&format=full',
  ]);
});

test('gcp: an answer that is not a token is rejected, and is not in the error', async (t) => {
  const { gcpAddress } = await metadataService(t, '<html>hush</html>');
  const token = platformToken('gcp', { clock: systemClock, environment: {}, gcpAddress });
  await assert.rejects(token('weir://vci_1', stop), { message: 'gcp returned no identity token' });
});

test('gcp: no metadata service', async () => {
  const token = platformToken('gcp', {
    clock: systemClock,
    environment: {},
    gcpAddress: 'http://127.0.0.1:1',
  });
  await assert.rejects(token('weir://vci_1', stop), /^Error: the metadata service of GCP: /);
});

test('aws: the token of the pod is read each time', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-token-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'token');
  const environment = { AWS_WEB_IDENTITY_TOKEN_FILE: path };
  const token = platformToken('aws', { clock: systemClock, environment });
  await assert.rejects(token('weir://vci_1', stop), /ENOENT/);
  writeFileSync(path, `${jwt}\n`);
  assert.equal(await token('weir://vci_1', stop), jwt);
  writeFileSync(path, `${jwt}x`);
  assert.equal(await token('weir://vci_1', stop), `${jwt}x`);
});

test('aws: a pod without a token', async () => {
  const token = platformToken('aws', { clock: systemClock, environment: {} });
  await assert.rejects(token('weir://vci_1', stop), /AWS_WEB_IDENTITY_TOKEN_FILE names no file/);
});
