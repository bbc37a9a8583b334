import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TestCa } from '../../../packages/security/testing/test-ca.ts';
import { lastFirst, startWeir } from '../brokers/weir-process.ts';
import { listening, startIssuer } from './platform-issuer.ts';
import { WeirCommand } from './weir-command.ts';

/**
 * An agent without a key: a pod on EKS with a token in a file; an issuer that publishes its keys over HTTPS; and a TLS
 * proxy with a private CA as the only way to the control plane. Real processes throughout.
 */

const clusterId = 'vci_workload';

async function startProxy(t: TestContext, ca: TestCa, credentials: string) {
  const { certificate, privateKey } = await ca.issueServer();
  const requested: string[] = [];
  const wanted = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer({ cert: certificate, key: privateKey });
  server.on('connect', (request, client, head) => {
    if (request.headers['proxy-authorization'] !== wanted) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    requested.push(request.url!);
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
    client.on('error', () => upstream.destroy());
    client.on('close', () => upstream.destroy());
  });
  const port = await listening(t, server);
  return { url: `https://${credentials}@127.0.0.1:${port}`, requested };
}

test('an agent is admitted by the identity of its platform, through a proxy with a private authority', async (t) => {
  const lifetime = lastFirst(t);
  const folder = mkdtempSync(join(tmpdir(), 'weir-workload-'));
  lifetime.after(async () => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const [issuerCa, proxyCa] = [await TestCa.create(), await TestCa.create('CN=Proxy Authority')];
  const issuer = await startIssuer(t, issuerCa);
  const proxy = await startProxy(t, proxyCa, 'weir:hush');
  const binding = {
    name: 'eks',
    issuer: issuer.issuer,
    clusterId,
    audience: 'sts.amazonaws.com',
    claims: [
      { path: 'sub', value: 'system:serviceaccount:stream:*' },
      { path: '"kubernetes.io".serviceaccount.name', value: 'weir' },
    ],
    lifetimeSeconds: 60,
  };
  const controlPlane = await startWeir(
    [
      ...['control-plane', '-defaultVirtualClusterID', clusterId, '-dataDir', folder, '-consolePort', '0'],
      ...['-bindAddress', '127.0.0.1'],
      ...['-workloadIdentityBindingsFile', file('bindings.json', JSON.stringify([binding]))],
    ],
    ['control plane'],
    { NODE_EXTRA_CA_CERTS: file('issuer-ca.pem', issuerCa.certificate) },
  );
  lifetime.after(() => controlPlane.stop());
  const controlPlaneUrl = controlPlane.address('control plane');
  const { host, port } = new URL(controlPlaneUrl);
  const tokenFile = file('token', issuer.token('system:serviceaccount:stream:weir'));
  const agentArgs = [
    ...['agent', '-defaultVirtualClusterID', clusterId, '-metadataURL', controlPlaneUrl],
    // Another host name, to distinguish which of the two was contacted.
    ...['-apiURL', `http://localhost:${port}/api/v1`],
    ...['-workloadIdentityTokenSource', 'aws', '-kafkaPort', '0', '-httpPort', '0'],
    ...['-bucketURL', pathToFileURL(join(folder, 'bucket')).href, '-availabilityZone', 'one'],
    ...['-bindAddress', '127.0.0.1', '-gracefulShutdownDuration', '0s'],
    ...['-httpProxy', proxy.url, '-httpsProxyCACertFile', file('proxy-ca.pem', proxyCa.certificate)],
  ];
  const agent = await startWeir(agentArgs, ['Kafka', 'HTTP'], { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile });

  lifetime.after(() => agent.stop());
  assert.ok(proxy.requested.length >= 2, 'once for the token, once for the connection');
  assert.deepEqual([...new Set(proxy.requested)], [`localhost:${port}`, host]);
  assert.match(controlPlane.output.err, /"message":"issued agent token","binding":"wif_eks"/);

  // An agent of another service account is not admitted, and waits.
  const strangerToken = file('other-token', issuer.token('system:serviceaccount:other:weir'));
  const stranger = new WeirCommand(lifetime, agentArgs, { AWS_WEB_IDENTITY_TOKEN_FILE: strangerToken });
  await stranger.waitForOutput(/"message":"failed to renew agent token/);
  assert.match(controlPlane.output.err, /"error":"wif_eks: the claim sub is another one"/);
  await stranger.stop();
});
