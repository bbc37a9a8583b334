import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { TestCa } from '@weir/security/testing';
import { testServices } from '../../testing/run-pipeline.ts';
import { Resources } from '../component/resources.ts';
import { ownCluster } from './cluster-connection.ts';

test('a pipeline trusts the certificate of its agents, whatever names it has, and no other', async (t) => {
  const ca = await TestCa.create();
  const { certificate, privateKey } = await ca.issue({ subject: 'CN=weir.example.com' });
  const server = createServer({ cert: certificate, key: privateKey }, (socket) =>
    socket.on('error', () => {}).once('data', () => server.emit('request')),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => server.close());
  /** Whether a pipeline sends a request, which it does to a server that it trusts. */
  const sends = async (trustedCertificates?: string): Promise<boolean> => {
    const stop = new AbortController();
    const brokers = [`127.0.0.1:${port}`];
    const own = { brokers, usesTls: true, trustedCertificates };
    const context = { ...testServices(), resources: new Resources(), connection() {}, ownCluster: own };
    const cluster = ownCluster('test', context)(stop.signal);
    const failure = cluster.connectionTo({ host: '127.0.0.1', port }).then(
      () => false,
      () => false,
    );
    const sent = await Promise.race([once(server, 'request').then(() => true), failure]);
    stop.abort();
    await cluster.close();
    return sent;
  };
  const other = await TestCa.create();
  assert.equal(await sends(certificate), true);
  assert.equal(await sends(ca.certificate), true);
  assert.equal(await sends(other.certificate), false);
  assert.equal(await sends(), false);
});

test('of an agent that serves for all brokers, only its address is connected to', async (t) => {
  let connections = 0;
  const server = createPlainServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = new AbortController();
  const own = { brokers: [`127.0.0.1:${port}`], isOneAddress: true };
  const context = { ...testServices(), resources: new Resources(), connection() {}, ownCluster: own };
  const cluster = ownCluster('test', context)(stop.signal);
  // Nothing listens there.
  await assert.rejects(cluster.connectionTo({ host: '127.0.0.1', port: 1 }), /closed/);
  assert.equal(connections, 1);
  await cluster.close();
});
