import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Metrics, MiB, silentLog } from '@weir/core';
import { HandClock, requireShortTurns } from '@weir/core/testing';
import { mcpLimits } from '@weir/mcp/limits';
import { TestCluster } from '@weir/metadata/testing';
import { accountsDeps } from '../testing/accounts-deps.ts';
import { appGrant, makeAccount } from '../testing/two-accounts.ts';
import { until } from '../testing/until.ts';
import { openAccounts } from './accounts/open.ts';
import { apiHandlers, createApiServer } from './api-server/api-server.ts';
import { RateLimits, usualRateLimits } from './api-server/rate-limits.ts';
import { controlPlaneLimits } from './limits.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import { type Patience, startControlPlane } from './server.ts';

/**
 * Peers over real sockets that send requests without reading, or send byte by byte. One server serves the API and MCP.
 */

/** More than the buffers of two sockets of one machine hold. */
const answerBytes = 24 * MiB;
const docsPage = `# A long page\n\n${'words '.repeat(300_000)}\n`;

let databaseCount = 0;

async function start(t: TestContext, patience: Partial<Patience> = {}) {
  const clock = new HandClock();
  const metrics = new Metrics();
  const accounts = await openAccounts(`memory://slow-${databaseCount++}`, accountsDeps());
  const account = await makeAccount(accounts, 'Ours');
  const key = await account.key('app', appGrant(account.a.id));
  let callCount = 0;
  const handlers = {
    list_workspaces: async () => {
      callCount++;
      return { workspaces: [{ name: 'x'.repeat(answerBytes) }] } as never;
    },
  };
  const deps = { clock, log: silentLog, metrics };
  const limits = new RateLimits(usualRateLimits, clock);
  const docsFolder = mkdtempSync(join(tmpdir(), 'weir-docs-'));
  writeFileSync(join(docsFolder, 'long.md'), docsPage);
  let url = '';
  const publicUrl = () => url;
  const models = mcpRoutes({
    ...{ accounts, handlers, limits, publicUrl, isBehindProxy: false, docsFolder },
    ...deps,
  });
  const server = await startControlPlane({
    ...deps,
    host: '127.0.0.1',
    port: 0,
    clusters: () => new TestCluster(),
    authorize: async () => ({ kind: 'refused' }) as never,
    readiness: () => true,
    members: () => [],
    handlers: {
      ...models.handlers,
      ...apiHandlers(createApiServer({ accounts, handlers, limits, publicUrl, ...deps })),
    },
    patience,
  });
  url = server.url;
  t.after(async () => {
    await models.close();
    const closed = server.close();
    clock.advance(10_000);
    await closed;
    await accounts.close();
    rmSync(docsFolder, { recursive: true });
  });
  const cutCount = (reason: string) =>
    Number(
      new RegExp(`connections_cut_total\\{reason="${reason}"\\} (\\d+)`).exec(metrics.render())?.[1] ?? 0,
    );
  return { port: server.port, key, clock, metrics, cutCount, callCount: () => callCount };
}

type Stage = Awaited<ReturnType<typeof start>>;

/** A peer that reads nothing until the test resumes it. */
function peerOf(t: TestContext, { port }: Stage): Socket & { isOver: boolean } {
  const socket = Object.assign(connect(port, '127.0.0.1'), { isOver: false });
  socket.pause();
  socket.on('error', () => {});
  socket.on('close', () => {
    socket.isOver = true;
  });
  t.after(() => socket.destroy());
  return socket;
}

/** A peer that reads nothing does not notice that it was disconnected, except by sending. */
async function isCut(socket: Socket & { isOver: boolean }): Promise<boolean> {
  if (!socket.isOver) socket.write('\r\n');
  return socket.isOver;
}

const post = (path: string, key: string, body: string, length = body.length) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nservice-api-key: ${key}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${length}\r\n\r\n${body}`;

const readPage = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'resources/read',
  params: { uri: 'docs://long.md' },
});

const questions: Readonly<Record<string, (key: string) => string>> = {
  'the API': (key) => post('/api/v1/list_workspaces', key, '{}'),
  models: (key) => post('/api/v1/mcp', key, readPage),
};

for (const [who, question] of Object.entries(questions)) {
  test(`${who}: a peer that does not read its answers is disconnected after a minute`, async (t) => {
    const stage = await start(t);
    const { clock, cutCount } = stage;
    const peer = peerOf(t, stage);
    peer.write(question(stage.key).repeat(controlPlaneLimits.controlPlaneRequestsWaitingMax));
    let passedMs = 0;
    await until(async () => {
      clock.advance(1_000);
      passedMs += 1_000;
      return cutCount('slow') > 0;
    });
    assert.ok(passedMs >= controlPlaneLimits.controlPlaneUnreadMsMax, `${passedMs} ms`);
    await until(() => isCut(peer));
    assert.equal(cutCount('memory') + cutCount('requests'), 0);
    if (who === 'the API') assert.equal(stage.callCount(), 1, 'the next answer waits until this one is read');
  });

  test(`${who}: pipelined requests are answered in order, up to a limit`, async (t) => {
    const stage = await start(t);
    const peer = peerOf(t, stage);
    const status = 'GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n';
    let answers = '';
    peer.setEncoding('latin1').on('data', (text) => {
      answers += text;
    });
    peer.resume();
    peer.write(status.repeat(3) + question(stage.key) + status.repeat(3));
    await until(() => answers.split('HTTP/1.1 200 OK').length === 8);
    const kinds = [...answers.matchAll(/content-type: (text\/plain|application\/json|text\/event-stream)/gi)];
    assert.deepEqual(
      kinds.map(([, kind]) => kind === 'text/plain'),
      [true, true, true, false, true, true, true],
    );
    peer.pause();
    peer.write(question(stage.key).repeat(2 * controlPlaneLimits.controlPlaneRequestsWaitingMax + 2));
    await until(async () => stage.cutCount('requests') > 0);
    await until(() => isCut(peer));
  });

  test(`${who}: a body that arrives byte by byte times out`, async (t) => {
    const stage = await start(t);
    const peer = peerOf(t, stage);
    const timersBefore = stage.clock.waiting;
    const [head] = question(stage.key).split('\r\n\r\n') as [string];
    peer.write(`${head.replace(/Content-Length: \d+/, 'Content-Length: 1000')}\r\n\r\n{`);
    await until(() => stage.clock.waiting > timersBefore + 1);
    let answer = '';
    peer.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    peer.resume();
    for (let passedMs = 0; passedMs <= mcpLimits.apiBodyMsMax; passedMs += 1_000) {
      peer.write(' ');
      stage.clock.advance(1_000);
    }
    await until(() => peer.isOver);
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*did not arrive within/);
  });

  test(`${who}: headers that arrive byte by byte time out`, async (t) => {
    const stage = await start(t, { headersMsMax: 200, requestMsMax: 300 });
    const peer = peerOf(t, stage);
    peer.resume();
    const [head] = question(stage.key).split('\r\n\r\n') as [string];
    peer.write(`${head}\r\nX-Slow: `);
    await until(async () => {
      if (!peer.isOver) peer.write('x');
      return peer.isOver;
    });
    assert.equal(stage.callCount(), 0);
  });
}

test('a peer that sends very many requests at once does not occupy the thread', async (t) => {
  const stage = await start(t);
  const names = Array.from({ length: 9_000 }, (_, index) => `"n${index}":1`).join();
  const status = 'GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n';
  const inputs: [what: string, bytes: string][] = [
    ['requests', status.repeat(20_000)],
    ['calls', post('/api/v1/describe_topic', stage.key, '{}').repeat(1_000)],
    ['names', post('/api/v1/describe_topic', stage.key, `{${names}}`).repeat(20)],
    ['messages', post('/api/v1/mcp', stage.key, '{}').repeat(1_000)],
  ];
  for (const [what, bytes] of inputs)
    await requireShortTurns(
      async () => {
        const peer = peerOf(t, stage);
        let answer = '';
        peer.setEncoding('latin1').on('data', (text) => {
          answer = (answer + text).slice(-20);
        });
        peer.resume();
        peer.write(bytes);
        await until(() => {
          stage.clock.advance(10);
          return peer.isOver;
        });
        assert.ok(answer !== '' || stage.cutCount('requests') > 0, what);
      },
      { what },
    );
});

test('when all peers leave too much unread, the longest waiting one is disconnected', async (t) => {
  const stage = await start(t, { unreadBytesMax: 1.5 * answerBytes });
  const { clock, cutCount } = stage;
  const peers: ReturnType<typeof peerOf>[] = [];
  for (let count = 1; count <= 3; count++) {
    const peer = peerOf(t, stage);
    peers.push(peer);
    peer.write(questions['the API']!(stage.key));
    await until(() => stage.callCount() === count);
    clock.advance(1_000);
  }
  await until(async () => {
    clock.advance(1_000);
    return cutCount('memory') > 0;
  });
  await until(() => isCut(peers[0]!));
  assert.equal(cutCount('slow'), 0);
  const last = peers.at(-1)!;
  let bytes = 0;
  last.on('data', (chunk) => {
    bytes += chunk.length;
  });
  last.resume();
  await until(() => bytes > answerBytes);
});
