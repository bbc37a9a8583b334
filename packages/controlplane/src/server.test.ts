import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ClusterUnavailable, type FileCommit, filesToSend, NotLeader } from '@weir/cluster';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { type ClusterClient, connectCluster } from '@weir/rpc';
import { rpcLimits } from '@weir/rpc/limits';
import { WebSocket } from 'ws';
import { startConnectProxy } from '../testing/connect-proxy.ts';
import { oneBatchFile } from '../testing/one-batch-file.ts';
import { startUpgradeProxy } from '../testing/upgrade-proxy.ts';
import { freshKeySecret, hashSecret } from './accounts/secrets/secrets.ts';
import { authorizeByAgentKeys } from './agent-keys.ts';
import { apiHandlers } from './api-server/api-server.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './server.ts';

/** Over real sockets of this machine. */

const key = freshKeySecret((count) => Buffer.alloc(count, 7));
const otherKey = freshKeySecret((count) => Buffer.alloc(count, 8));
const base = { clock: systemClock, random: systemRandom, log: silentLog };

async function start(
  t: TestContext,
  cluster: TestCluster,
  overrides: Partial<ControlPlaneOptions> = {},
): Promise<ControlPlane> {
  const agentKeys = [{ name: 'akn_test', keyHash: hashSecret(key), clusterId: cluster.clusterId }];
  const controlPlane = await startControlPlane({
    ...base,
    host: '127.0.0.1',
    port: 0,
    clusters: (clusterId) => (clusterId === cluster.clusterId ? cluster : undefined),
    authorize: authorizeByAgentKeys(agentKeys),
    readiness: () => true,
    members: () => [],
    metrics: new Metrics(),
    ...overrides,
  });
  t.after(() => controlPlane.close());
  return controlPlane;
}

function client(t: TestContext, urls: readonly string[], agentKey = () => key): ClusterClient {
  const made = connectCluster({ ...base, urls, clusterId: 'vci_test', agentKey, metrics: new Metrics() });
  t.after(() => made.close());
  return made;
}

/** A commit of a batch for each of so many new topics. Every other producer is idempotent. */
function wideCommit(cluster: TestCluster, rowCount: number): FileCommit {
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  return {
    fileId: 'f'.repeat(32),
    fileBytes: rowCount * 1000,
    topicIds: rows.map((row) => cluster.addTopic(`t${row}`, 4).topicId),
    topic: Uint32Array.from(rows),
    partition: Uint32Array.from(rows, (row) => row % 4),
    byteStart: Uint32Array.from(rows, (row) => row * 1000),
    byteLength: Uint32Array.from(rows, () => 1000),
    recordCount: Uint32Array.from(rows, () => 10),
    maxTimestampMs: Float64Array.from(rows, (row) => 1.8e12 + row),
    producerId: Float64Array.from(rows, (row) => (row % 2 === 0 ? -1 : row)),
    producerEpoch: Int16Array.from(rows, (row) => (row % 2 === 0 ? -1 : 0)),
    baseSequence: Int32Array.from(rows, (row) => (row % 2 === 0 ? -1 : row)),
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => systemClock.after(5, resolve));
}

test('probes and metrics', async (t) => {
  let isReady = false;
  let isFull = false;
  let hasCaughtUp = true;
  const metrics = new Metrics();
  metrics.series({ name: 'lucky_number', kind: 'gauge', help: 'Ours.', labels: [] }, {}).set(7);
  const { url } = await start(t, new TestCluster(), {
    readiness: () => isReady,
    hasCaughtUp: () => hasCaughtUp,
    isDiskFull: () => isFull,
    metrics,
  });
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init);
    return [response.status, await response.text()] as const;
  };
  assert.deepEqual(await get('/v1/status'), [503, 'not ready']);
  assert.deepEqual(await get('/v1/readiness'), [503, 'not ready']);
  assert.deepEqual(await get('/v1/ready'), [503, 'not ready']);
  isReady = true;
  assert.deepEqual(await get('/v1/readiness?verbose=1'), [200, 'OK']);
  assert.deepEqual(await get('/v1/ready'), [200, 'OK']);
  assert.deepEqual(await get('/v1/status'), [200, 'OK']);
  isReady = false;
  assert.deepEqual(await get('/v1/readiness'), [503, 'not ready']);
  isReady = true;
  hasCaughtUp = false;
  assert.deepEqual(await get('/v1/ready'), [503, 'not ready: reading journals']);
  assert.deepEqual(await get('/v1/status'), [200, 'OK'], 'a long journal is no reason for a restart');
  hasCaughtUp = true;
  isFull = true;
  assert.deepEqual(await get('/v1/ready'), [503, 'not ready: disk full']);
  assert.deepEqual(await get('/v1/status'), [200, 'OK'], 'a restart makes no space');
  isFull = false;
  assert.deepEqual(await get('/v1/ready'), [200, 'OK']);
  assert.deepEqual(await get('/v1/status'), [200, 'OK'], 'a process that was ready once is alive');
  assert.match((await get('/metrics'))[1], /^service_lucky_number 7$/m);
  assert.equal((await get('/v1/status', { method: 'POST', body: 'x' }))[0], 405);
  assert.equal((await get('/elsewhere'))[0], 404);
  assert.equal((await get('/toString'))[0], 404);
});

/** Sends raw bytes and returns everything that comes back. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    answer += chunk;
    if (answer.includes('101 Switching')) socket.destroy();
  });
  await once(socket, 'close');
  return answer;
}

test('the feed of releases', async (t) => {
  const { url } = await start(t, new TestCluster(), { members: () => ['http://control-plane.test'] });
  const response = await fetch(`${url}/agent-changelog.rss`);
  assert.equal(response.headers.get('content-type'), 'application/rss+xml; charset=utf-8');
  const text = await response.text();
  assert.match(text, /^<\?xml .*\n<rss version="2\.0">/);
  assert.match(text, /<link>http:\/\/control-plane\.test\/agent-changelog\.rss#v830<\/link>/);
  assert.equal((await fetch(`${url}/agent-changelog.rss`, { method: 'POST' })).status, 405);
});

test('a refused client gets a status and no WebSocket', async (t) => {
  const cluster = new TestCluster();
  const { port } = await start(t, cluster);
  const path = '/api/v1/agent/connect?virtual_cluster_id=vci_test';
  const protocol = 'Sec-WebSocket-Protocol: weir.agent.v1\r\n';
  const good = `service-api-key: ${key}\r\n`;
  const cases: [path: string, headers: string, status: string][] = [
    [path, good + protocol, '101'],
    [path, protocol, '401'],
    [path, `service-api-key: ${otherKey}\r\n${protocol}`, '401'],
    [path, `service-api-key: ${hashSecret(key)}\r\n${protocol}`, '401'],
    [path, `${good}service-api-key: ${otherKey}\r\n${protocol}`, '401'],
    ['/api/v1/agent/connect?virtual_cluster_id=vci_other', good + protocol, '401'],
    ['/api/v1/agent/connect', good + protocol, '400'],
    [path, good, '400'],
    [path, `${good}Sec-WebSocket-Protocol: weir.agent.v9\r\n`, '400'],
    ['/elsewhere', good + protocol, '404'],
    ['//', good + protocol, '404'],
    [path, `${good}${protocol}X-Long: ${'x'.repeat(20_000)}\r\n`, '431'],
  ];
  for (const [target, headers, status] of cases) {
    const answer = await raw(
      port,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`,
    );
    assert.equal(answer.slice(9, 12), status, `${target} ${headers}`);
  }
  assert.equal(cluster.followerCount, 0);
});

test('a client that offers HTTP/2 still gets its answer', async (t) => {
  const { port } = await start(t, new TestCluster());
  const answer = await raw(
    port,
    'GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1.1 200 OK[\s\S]*OK$/);
});

test('a commit of a thousand batches survives the connection', async (t) => {
  const cluster = new TestCluster();
  const { url } = await start(t, cluster);
  const port = client(t, [url]);
  const commit = wideCommit(cluster, 1000);
  const seen: unknown[] = [];
  const original = cluster.commitFiles.bind(cluster);
  cluster.commitFiles = (files) => {
    seen.push(...filesToSend(files));
    return original(files);
  };
  assert.deepEqual(await port.commitFiles([commit]), await original([commit]));
  assert.deepEqual(seen, [commit]);
});

test('a wrong key is refused and never admitted; the right one then connects', async (t) => {
  const cluster = new TestCluster();
  const { url } = await start(t, cluster);
  let given = otherKey;
  const port = client(t, [url], () => given);
  const followed: string[] = [];
  port.follow({ onSnapshot: ({ clusterId }) => followed.push(clusterId), onChanges() {} });
  await assert.rejects(port.allocateProducerIds(1), {
    name: 'AgentKeyRefused',
    message: /agent key and cluster id do not match \(401/,
  });
  assert.deepEqual([cluster.calls.allocateProducerIds, cluster.followerCount], [0, 0]);
  given = key;
  await until(() => followed.length > 0);
  assert.equal(await port.allocateProducerIds(1), 1);
});

test('clients reconnect to a control plane that restarts on its port, with calls and followers', async (t) => {
  const cluster = new TestCluster();
  const first = await start(t, cluster);
  const port = client(t, [first.url]);
  let snapshots = 0;
  port.follow({ onSnapshot: () => snapshots++, onChanges() {} });
  assert.equal(await port.allocateProducerIds(1), 1);
  await until(() => snapshots === 1);
  await first.close();
  const call = port.allocateProducerIds(1);
  await start(t, cluster, { port: first.port });
  assert.equal(await call, 2);
  await until(() => snapshots === 2);
});

test('through a proxy: a lost answer is repeated, and the topic is created once', async (t) => {
  const cluster = new TestCluster();
  const { url } = await start(t, cluster);
  const proxy = await startUpgradeProxy(url, '/weir');
  t.after(() => proxy.close());
  const port = client(t, [`${proxy.url}/weir`]);
  cluster.around = (_, proceed) => {
    // The answer is written to a closed connection.
    if (proxy.upgrades() === 1) proxy.cut();
    return proceed();
  };
  const [result] = await port.createTopics([{ name: 't', partitionCount: 1, configs: {} }], {
    validateOnly: false,
  });
  assert.equal(result?.error, 'NONE');
  assert.equal(cluster.calls.createTopics, 1);
  assert.equal(proxy.upgrades(), 2);
  assert.equal((await fetch(`${proxy.url}/weir/v1/status`)).status, 200);
});

test('calls go to the leader that another process names', async (t) => {
  const leader = new TestCluster();
  const standby = new TestCluster();
  const leading = await start(t, leader);
  standby.around = () => Promise.reject(new NotLeader('not the leader', leading.url));
  const standing = await start(t, standby);
  const port = client(t, [standing.url]);
  assert.equal(await port.allocateProducerIds(5), 1);
  assert.deepEqual([leader.calls.allocateProducerIds, standby.calls.allocateProducerIds], [1, 1]);
});

test('when a process stops, its calls are answered and its agents connect to the other', async (t) => {
  const [one, two] = [new TestCluster(), new TestCluster()];
  let members: string[] = [];
  const first = await start(t, one, { members: () => members });
  const second = await start(t, two, { members: () => members });
  members = [first.url, second.url];
  const port = client(t, [first.url]);
  let answer = () => {};
  one.around = async (_, proceed) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return proceed();
  };
  const underWay = port.allocateProducerIds(1);
  await until(() => one.calls.allocateProducerIds > 0);
  const closed = first.close();
  const later = port.allocateProducerIds(1);
  answer();
  await underWay;
  await closed;
  await later;
  assert.deepEqual([one.calls.allocateProducerIds, two.calls.allocateProducerIds], [1, 1]);
  await assert.rejects(fetch(first.url));
});

test('an agent that connects learns of the newest processes', async (t) => {
  const two = new TestCluster();
  const second = await start(t, two);
  let members: string[] = [];
  const first = await start(t, new TestCluster(), {
    members: () => members,
    async refreshMembers() {
      members = [second.url];
    },
  });
  const port = client(t, [first.url]);
  assert.equal(await port.allocateProducerIds(1), 1);
  members = [];
  await first.close();
  await port.allocateProducerIds(1);
  assert.equal(two.calls.allocateProducerIds, 1);
});

test('an agent that connects does not wait for a database that hangs', async (t) => {
  const { url } = await start(t, new TestCluster(), { refreshMembers: () => new Promise(() => {}) });
  assert.equal(await client(t, [url]).allocateProducerIds(1), 1);
});

/** How often the keys of open connections are verified; only the server's time is moved, its clients have their own. */
const keyRoundMs = 10_000;

test('a revoked key ends the connections that it opened', async (t) => {
  const clock = new HandClock();
  let isValid = true;
  const cluster = new TestCluster();
  const { url } = await start(t, cluster, { clock, authorize: () => isValid });
  const port = client(t, [url]);
  port.follow({ onSnapshot() {}, onChanges() {} });
  assert.equal(await port.allocateProducerIds(1), 1);
  isValid = false;
  clock.advance(keyRoundMs);
  await until(() => cluster.followerCount === 0);
  await assert.rejects(
    async () => {
      for (;;) await port.allocateProducerIds(1);
    },
    { name: 'AgentKeyRefused' },
  );
});

test('a key of several connections is verified once per round', async (t) => {
  const clock = new HandClock();
  const checks: string[] = [];
  const authorize = (_: string, shown: string) => {
    checks.push(shown);
    return true;
  };
  const { url } = await start(t, new TestCluster(), { clock, authorize });
  const ports = [key, key, otherKey].map((shown) => client(t, [url], () => shown));
  const callAll = async () => {
    for (const port of ports) await port.allocateProducerIds(1);
  };
  // Connections are checked in the order in which they were opened.
  await callAll();
  assert.equal(checks.length, 3, 'each connection was admitted');
  for (let round = 1; round <= 3; round++) {
    checks.length = 0;
    await clock.pass(keyRoundMs);
    assert.deepEqual(checks, [key, otherKey], `round ${round}`);
    // A connection that is silent for several rounds would be closed.
    await callAll();
  }
});

test('a token that is replaced before it expires interrupts no call', async (t) => {
  const clock = new HandClock();
  let admitted = key;
  let held = key;
  const cluster = new TestCluster();
  const { url } = await start(t, cluster, { clock, authorize: (_, shown) => shown === admitted });
  const port = client(t, [url], () => held);
  let snapshots = 0;
  port.follow({ onSnapshot: () => void snapshots++, onChanges() {} });
  await until(() => snapshots === 1);
  held = otherKey;
  admitted = otherKey;
  clock.advance(keyRoundMs);
  while (snapshots === 1) await port.allocateProducerIds(1);
  assert.ok((await port.allocateProducerIds(1)) > 1);
});

test('an agent that cannot be authenticated yet is redirected, not refused', async (t) => {
  const { port } = await start(t, new TestCluster(), { authorize: () => undefined });
  const answer = await raw(
    port,
    'GET /api/v1/agent/connect?virtual_cluster_id=vci_test HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n' +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
      `service-api-key: ${key}\r\n\r\n`,
  );
  assert.equal(answer.slice(9, 12), '503');
});

test('bytes that are not a frame end the connection and nothing else', async (t) => {
  const { url, port } = await start(t, new TestCluster());
  const webSocket = new WebSocket(
    `ws://127.0.0.1:${port}/api/v1/agent/connect?virtual_cluster_id=vci_test`,
    'weir.agent.v1',
    { headers: { 'service-api-key': key } },
  );
  await once(webSocket, 'open');
  webSocket.send('a text');
  const [code, reason] = await once(webSocket, 'close');
  assert.deepEqual([code, String(reason)], [1002, 'frame of 6 bytes has no header']);
  assert.equal(await client(t, [url]).allocateProducerIds(1), 1);
});

/** A frame with the numbers of `rpc/src/frames/frame-kinds.ts`. */
function frameOf(kind: number, id: number, body: string, columns: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(16);
  head.set([kind, 1]);
  head.writeUInt32LE(columns.length / 8, 4);
  head.writeDoubleLE(id, 8);
  return Buffer.concat([head, columns, Buffer.from(body)]);
}

test('a frame that is slightly too large is answered, and the connection stays open', async (t) => {
  const { port } = await start(t, new TestCluster());
  const webSocket = new WebSocket(
    `ws://127.0.0.1:${port}/api/v1/agent/connect?virtual_cluster_id=vci_test`,
    'weir.agent.v1',
    { headers: { 'service-api-key': key } },
  );
  const kinds: number[] = [];
  const answered = new Promise<void>((resolve, reject) => {
    webSocket.on('message', (frame: Buffer) => {
      kinds.push(frame[0]!);
      if (kinds.length === 3) resolve();
    });
    webSocket.on('close', (code, reason) => reject(new Error(`closed: ${code} ${reason}`)));
  });
  await once(webSocket, 'open');
  const hello = { release: 'v830', clientId: 'c', pending: { $: 0 } };
  // One empty column of 64-bit numbers.
  webSocket.send(frameOf(0, 0, JSON.stringify(hello), Buffer.from([4, 0, 0, 0, 0, 0, 0, 0])));
  webSocket.send(frameOf(1, 1, 'x'.repeat(rpcLimits.rpcCallBytesMax)));
  webSocket.send(frameOf(8, 1, ''));
  await answered;
  // Hello, a failure, and the answer to a ping.
  assert.deepEqual(kinds, [0, 3, 9]);
  webSocket.removeAllListeners('close');
  webSocket.terminate();
});

test('a taken port is an error that says so', async (t) => {
  const { port } = await start(t, new TestCluster());
  await assert.rejects(start(t, new TestCluster(), { port }), { code: 'EADDRINUSE' });
});

test('an agent connects through a proxy that requires a name and a password', async (t) => {
  const cluster = new TestCluster();
  const { port, url } = await start(t, cluster);
  const proxy = await startConnectProxy('agent:p@ss:word');
  t.after(() => proxy.close());
  const through = (userinfo: string) => {
    const made = connectCluster({
      ...base,
      urls: [url],
      clusterId: 'vci_test',
      agentKey: () => key,
      metrics: new Metrics(),
      proxy: { url: `http://${userinfo}127.0.0.1:${proxy.port}` },
    });
    t.after(() => made.close());
    return made;
  };
  const { topicId } = cluster.addTopic('t');
  const file = oneBatchFile(1, topicId, 0, 3);
  const [result] = await through('agent:p%40ss%3Aword@').commitFiles([file]);
  assert.deepEqual([...result!.error], [0]);
  assert.deepEqual(proxy.asked, [`127.0.0.1:${port}`]);

  const stranger = through('');
  const waiting = assert.rejects(stranger.commitFiles([file]), ClusterUnavailable);
  await until(() => proxy.asked.length > 2);
  assert.equal(cluster.calls.commitFiles, 1, 'a connection that the proxy refuses commits nothing');
  stranger.close();
  await waiting;
});

test('calls of the API go to its handler, and nothing else does', async (t) => {
  const handled: string[] = [];
  const { url } = await start(t, new TestCluster(), {
    handlers: apiHandlers(async (request, response) => {
      handled.push(`${request.method} ${request.url}`);
      response.end('{}');
    }),
  });
  const status = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status;
  assert.equal(await status('/api/v1/users/list?x=1', { method: 'POST', body: '{}' }), 200);
  assert.equal(await status('/api/v1/docs'), 200);
  assert.equal(await status('/api/v1'), 404);
  assert.equal(await status('/v1/status'), 200);
  assert.deepEqual(handled, ['POST /api/v1/users/list?x=1', 'GET /api/v1/docs']);
});

test('a call in flight is answered before the server ends', async (t) => {
  const received = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const controlPlane = await start(t, new TestCluster(), {
    handlers: {
      join: async (_request, response) => {
        received.resolve();
        await answered.promise;
        response.end('done');
      },
    },
  });
  const call = fetch(`${controlPlane.url}/join`);
  await received.promise;
  const closed = controlPlane.close();
  answered.resolve();
  assert.equal(await (await call).text(), 'done');
  await closed;
  await assert.rejects(fetch(`${controlPlane.url}/join`));
});

test('every answer forbids MIME sniffing, and one that came by TLS has HSTS', async (t) => {
  for (const isBehindProxy of [false, true]) {
    const { url } = await start(t, new TestCluster(), { isBehindProxy });
    for (const path of ['/v1/status', '/metrics', '/elsewhere', '/agent-changelog.rss']) {
      const headersOf = async (forwarded: string) =>
        (await fetch(url + path, { headers: { 'x-forwarded-proto': forwarded } })).headers;
      const secure = await headersOf('https');
      assert.equal(secure.get('x-content-type-options'), 'nosniff', path);
      assert.equal(secure.get('strict-transport-security') !== null, isBehindProxy, path);
      assert.equal((await headersOf('http')).get('strict-transport-security'), null, path);
    }
  }
});
