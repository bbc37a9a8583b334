import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOfReport } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { anonymous, openSession } from '@weir/security';
import { type Api, apis } from '@weir/wire';
import { startTestAgent } from '../../testing/test-agent-server.ts';
import type { RequestContext } from '../requests/handler.ts';
import { ConnectedClients } from './connected-clients.ts';

const accepted = { errorCode: 0, apiKeys: [] };
const refused = { errorCode: 42, apiKeys: [] };

interface Client {
  readonly software?: readonly [name: string, version: string];
  readonly clientId?: string | null;
  readonly user?: string;
  readonly asks?: readonly Api[];
  readonly isRefused?: boolean;
}

/** Connects a client, and returns a function that ends its connection. */
function connect(clients: ConnectedClients, client: Client): () => void {
  const { software: [name, version] = ['', ''], clientId = null, user, asks = [apis.Metadata] } = client;
  const end = new AbortController();
  const principalOf = (username: string) => ({
    ...anonymous,
    name: `User:${username}`,
    credentialName: username.startsWith('ccun_') ? username.replace('ccun_', 'ccn_') : undefined,
  });
  const session = openSession({ remoteAddress: '127.0.0.1', remotePort: 1, user, principalOf });
  const handler = clients.noting(() => (client.isRefused === true ? refused : accepted));
  const context = { closed: end.signal } as RequestContext;
  handler({ clientSoftwareName: name, clientSoftwareVersion: version } as never, context);
  for (const api of asks) clients.served({ api, clientId, session, closed: end.signal });
  return () => end.abort();
}

function reported(clients: ConnectedClients): string[] {
  return clients
    .report()
    .software.map(
      ({ name, version, connectionCount, principals, clientIds }) =>
        `${name || '?'} ${version || '?'} ×${connectionCount}: ${principals.join(' ')}; ${clientIds.join(' ')}`,
    );
}

test('clients are counted by software, with their principals, until they disconnect', () => {
  const clients = new ConnectedClients();
  const java = ['apache-kafka-java', '4.3.0'] as const;
  const ends = [
    connect(clients, { software: java, clientId: 'shop', user: 'ccun_shop' }),
    connect(clients, { software: java, clientId: 'shop', user: 'ccun_shop' }),
    connect(clients, { software: java, clientId: 'other', user: 'carol' }),
    connect(clients, { software: ['librdkafka', '2.16.1'], clientId: 'rd' }),
    connect(clients, {}),
  ];
  assert.deepEqual(reported(clients), [
    'apache-kafka-java 4.3.0 ×3: User:shop User:carol; shop other',
    '? ? ×1: User:ANONYMOUS; ',
    'librdkafka 2.16.1 ×1: User:ANONYMOUS; rd',
  ]);
  assert.equal(clients.report().connectionCount, 5);
  for (const end of ends.slice(1)) end();
  assert.deepEqual(reported(clients), ['apache-kafka-java 4.3.0 ×1: User:shop; shop']);
  ends[0]!();
  assert.deepEqual(clients.report(), { connectionCount: 0, software: [] });
});

const strangers: [what: string, client: Client][] = [
  ['sent no request', { asks: [] }],
  ['sent only ApiVersions', { software: ['probe', '1'], asks: [apis.ApiVersions] }],
  [
    'did not log in',
    { software: ['evil', '1'], asks: [apis.ApiVersions, apis.SaslHandshake, apis.SaslAuthenticate] },
  ],
];

for (const [what, client] of strangers) {
  test(`a connection that ${what} is not counted`, () => {
    const clients = new ConnectedClients();
    connect(clients, client);
    assert.deepEqual(clients.report(), { connectionCount: 0, software: [] });
  });
}

test('a name that the protocol refuses is not reported', () => {
  const clients = new ConnectedClients();
  connect(clients, { software: ['<script>', '1'], isRefused: true });
  assert.deepEqual(reported(clients), ['? ? ×1: User:ANONYMOUS; ']);
});

test('the report stays within its limits for any names, and contains the most frequent', () => {
  const clients = new ConnectedClients();
  const nasty = (n: number) => `${n}${'"\\\u0000\ud800'.repeat(200)}`;
  for (let n = 0; n < 400; n++)
    connect(clients, { software: [`s${n}`.padEnd(300, 'x'), '1'], clientId: nasty(n), user: nasty(n) });
  for (let n = 0; n < 20; n++)
    connect(clients, { software: ['common', '1'], clientId: nasty(n), user: nasty(n) });
  const connected = clients.report();
  assert.equal(connected.connectionCount, 420);
  const [first] = connected.software;
  assert.deepEqual([first!.name, first!.connectionCount, first!.principalCount], ['common', 20, 20]);
  assert.equal(first!.clientIds.length, clusterLimits.reportedSoftwareNamesMax);
  assert.ok(connected.software.length > 5);
  assert.ok(JSON.stringify(connected.software).length <= clusterLimits.reportedSoftwareCharsMax);
  const report = { startedMs: 1, number: 1, sinceNumber: 0, spanMs: 1, nowMs: 1, connected };
  assert.equal(problemOfReport(report, JSON.stringify(report)), undefined);
});

test('an agent reports the clients of its handlers', async () => {
  const clients = new ConnectedClients();
  const agent = await startTestAgent({ clients });
  const { signal: closed } = new AbortController();
  const software = { clientSoftwareName: 'franz-go', clientSoftwareVersion: '1.22.2' };
  await agent.call('ApiVersions', 3, software, 'kgo', closed);
  assert.equal(clients.report().connectionCount, 0);
  await agent.call('Metadata', 12, { topics: [] }, 'kgo', closed);
  assert.deepEqual(reported(clients), ['franz-go 1.22.2 ×1: User:ANONYMOUS; kgo']);
});
