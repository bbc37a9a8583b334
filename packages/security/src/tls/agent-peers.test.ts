import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { startAgentUnderTest } from '@weir/agent/testing';
import { ExchangeKey, Page, PeerClient, PeerFailure, pageRoutes } from '@weir/broker/testing';
import { type Log, type LogFields, Metrics, silentLog, systemClock } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { startHttpListener } from '@weir/http';
import { type CertificateOptions, TestCa } from '../../testing/test-ca.ts';
import { type AgentIdentity, AgentPeers } from './agent-peers.ts';
import { ServerCertificates } from './server-certificates.ts';

const ca = await TestCa.create();
const foreignCa = await TestCa.create('CN=Somebody Else');
const pageBytes = 4096;
const page = Buffer.alloc(3_000, 'page');
const address = { fileId: '0123456789abcdef0123456789abcdef', index: 0, pageBytes };

async function certificatesOf(
  t: TestContext,
  options: CertificateOptions,
  by = ca,
): Promise<ServerCertificates> {
  const material = { ...(await by.issue(options)), authorities: ca.certificate };
  const certificates = await ServerCertificates.load({
    source: { name: 'the test', intervalMs: 5_000, read: async () => material },
    profile: 'golang-default',
    clock: new HandClock(),
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => certificates.close());
  return certificates;
}

interface Agent {
  readonly certificates: ServerCertificates;
  readonly identity?: Partial<AgentIdentity>;
}

function peersOf({ certificates, identity }: Agent): AgentPeers {
  return new AgentPeers(certificates, { trustDomain: undefined, workloadId: undefined, ...identity });
}

function keyOf(): ExchangeKey {
  return new ExchangeKey({ secrets: () => ['aks_1'], clusterId: 'vci_one', clock: systemClock });
}

/** One agent requests a page from the internal listener of another. */
async function ask(caller: Agent, called: Agent) {
  const logged: LogFields[] = [];
  const note = (_: string, fields: LogFields = {}) => void logged.push(fields);
  const log: Log = { debug() {}, info() {}, warn: note, error: note, with: () => log };
  const listener = await startHttpListener({
    host: '127.0.0.1',
    port: 0,
    routes: pageRoutes({
      key: keyOf(),
      pageBytes,
      lendPage: () => new Page([page]),
      clock: systemClock,
      log,
      metrics: new Metrics(),
    }),
    tls: {
      certificates: called.certificates,
      problemOfCaller: (certificate) => peersOf(called).problemOfCaller(certificate),
    },
    clock: systemClock,
    log,
    metrics: new Metrics(),
  });
  const client = new PeerClient({ key: keyOf(), peers: peersOf(caller), clock: systemClock });
  try {
    const outcome = await client.read(`https://127.0.0.1:${listener.port}`, address).then(
      (found) => found.byteLength,
      (error: unknown) => {
        assert.ok(error instanceof PeerFailure, String(error));
        return error.message;
      },
    );
    return { outcome, logged };
  } finally {
    client.close();
    await listener.close();
  }
}

test('agents of one authority whose certificates name the host, or the same service, exchange pages', async (t) => {
  const byAddress = await certificatesOf(t, { subject: 'CN=a', ips: ['127.0.0.1'] });
  const byService = await certificatesOf(t, { subject: 'CN=b', dns: ['agents.example'] });
  const ofService = await certificatesOf(t, { subject: 'CN=c', dns: ['pod-7', 'Agents.example'] });
  const other = await certificatesOf(t, { subject: 'CN=agents.example', dns: ['clients.example'] });
  const foreign = await certificatesOf(t, { subject: 'CN=a', ips: ['127.0.0.1'] }, foreignCa);
  const expired = await certificatesOf(t, { ips: ['127.0.0.1'], validTo: new Date(Date.UTC(2021, 0, 1)) });
  const cases: [
    what: string,
    caller: ServerCertificates,
    called: ServerCertificates,
    outcome: number | RegExp,
  ][] = [
    ['the host is named', byService, byAddress, page.length],
    ['the service is named', byService, ofService, page.length],
    ['neither is named', byAddress, other, /IP: 127\.0\.0\.1 is not in the cert's list/],
    ['a foreign authority of the called agent', byAddress, foreign, /unable to|self-signed|issuer/i],
    [
      'a foreign authority of the calling agent',
      foreign,
      byAddress,
      /closed|ECONNRESET|alert|socket hang up|EPIPE/,
    ],
    ['an expired certificate of the called agent', byAddress, expired, /expired/],
    ['an expired certificate of the calling agent', expired, byAddress, /closed|ECONNRESET|alert|EPIPE/],
  ];
  for (const [what, caller, called, expected] of cases) {
    const { outcome } = await ask({ certificates: caller }, { certificates: called });
    if (typeof expected === 'number') assert.equal(outcome, expected, what);
    else assert.match(String(outcome), expected, what);
  }
});

test('required SPIFFE ids decide, in both directions', async (t) => {
  const agentsId = { trustDomain: 'prod.example', workloadId: 'agents' };
  const agent = await certificatesOf(t, { uris: ['spiffe://prod.example/agents'] });
  const otherDomain = await certificatesOf(t, { uris: ['spiffe://test.example/agents'], ips: ['127.0.0.1'] });
  const otherWork = await certificatesOf(t, { uris: ['spiffe://prod.example/clients'], ips: ['127.0.0.1'] });
  const none = await certificatesOf(t, { subject: 'CN=a', ips: ['127.0.0.1'] });
  const strict = (certificates: ServerCertificates, identity: Partial<AgentIdentity> = agentsId) => ({
    certificates,
    identity,
  });
  assert.equal((await ask(strict(agent), strict(agent))).outcome, page.length);
  const { trustDomain } = agentsId;
  assert.equal(
    (await ask(strict(agent, { trustDomain }), strict(otherWork, { trustDomain }))).outcome,
    page.length,
  );
  const cases: [certificates: ServerCertificates, problem: RegExp][] = [
    [otherDomain, /trust domain test\.example, expected prod\.example/],
    [otherWork, /workload id clients, expected agents/],
    [none, /no SPIFFE id/],
  ];
  for (const [certificates, problem] of cases) {
    const called = await ask(strict(agent), { certificates });
    assert.match(String(called.outcome), problem);
    const calling = await ask({ certificates, identity: trusting(certificates) }, strict(agent));
    assert.notEqual(calling.outcome, page.length);
    assert.match(JSON.stringify(calling.logged), problem);
  }
  /** An identity that accepts the called agent, so that only the called agent refuses. */
  function trusting(certificates: ServerCertificates): Partial<AgentIdentity> {
    return certificates === none ? { trustDomain: 'prod.example' } : agentsId;
  }
});

test('an agent with an internal listener publishes its address, and serves pages only there', async (t) => {
  const certificates = await certificatesOf(t, { subject: 'CN=a', ips: ['127.0.0.1'] });
  const identity = { trustDomain: undefined, workloadId: undefined };
  const { agent, cluster } = await startAgentUnderTest(t, {
    agentKey: () => 'aks_1',
    tls: { certificates, kafka: undefined, http: false, internal: { port: 0, identity } },
  });
  const { internalPort, httpPort } = agent;
  assert.ok(internalPort !== undefined && internalPort !== httpPort);
  const description = (await cluster.listAgents()).find(({ agentId }) => agentId === 'agent-under-test');
  assert.equal(description!.internalUrl, `https://127.0.0.1:${internalPort}`);
  const path = '/v1/internal/files/0123456789abcdef0123456789abcdef?page=0&pageBytes=4194304';
  assert.equal((await fetch(`http://127.0.0.1:${httpPort}${path}`)).status, 404);
  assert.equal((await fetch(`http://127.0.0.1:${httpPort}/v1/status`)).status, 200);
  // A peer without a certificate does not even get a status.
  const stranger = connect({ host: '127.0.0.1', port: internalPort, ca: ca.certificate });
  stranger.on('error', () => {});
  stranger.write('GET /v1/status HTTP/1.1\r\nhost: a\r\n\r\n');
  let received = '';
  stranger.on('data', (chunk) => {
    received += String(chunk);
  });
  await until(() => stranger.destroyed);
  assert.equal(received, '');
});

test('the HTTP port uses TLS if configured, without client certificates', async (t) => {
  const certificates = await certificatesOf(t, {
    subject: 'CN=localhost',
    dns: ['localhost'],
    ips: ['127.0.0.1'],
  });
  const { agent, cluster } = await startAgentUnderTest(t, {
    agentKey: () => 'aks_1',
    tls: { certificates, kafka: undefined, http: true, internal: undefined },
  });
  const description = (await cluster.listAgents()).find(({ agentId }) => agentId === 'agent-under-test');
  assert.equal(description!.internalUrl, `https://127.0.0.1:${agent.httpPort}`);
  const socket = connect({ host: 'localhost', port: agent.httpPort, ca: ca.certificate });
  socket.end('GET /v1/status HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.match(answer, /^HTTP\/1\.1 200 /);
  await assert.rejects(fetch(`http://127.0.0.1:${agent.httpPort}/v1/status`));
});
