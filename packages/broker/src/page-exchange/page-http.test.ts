import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Clock, Metrics, seededRandom, silentLog, systemClock } from '@weir/core';
import { HandClock, pause, until } from '@weir/core/testing';
import { ObjectNotFound } from '@weir/storage';
import { loopbackListener } from '../../testing/loopback-listener.ts';
import { brokerLimits } from '../limits.ts';
import { Page, pagesOf } from '../read-path/page.ts';
import { ExchangeKey, exchangeSkewMsMax } from './exchange-key.ts';
import { pagePath } from './page-path.ts';
import { type PageRoutesOptions, pageRoutes, proofHeader, sendMsMax } from './page-routes.ts';
import { answerMsMax, bodyMsMax, PeerClient, workMsMax } from './peer-client.ts';
import { PeerFailure, type PeerFailureReason } from './peer-failure.ts';

const fileId = '0123456789abcdef0123456789abcdef';
const pageBytes = 1024 * 1024;
const address = { fileId, index: 0, pageBytes };

function keyOf(options: { agentKey?: string; clusterId?: string; clock?: Clock } = {}): ExchangeKey {
  const { agentKey = 'aks_1', clusterId = 'vci_one', clock = systemClock } = options;
  return new ExchangeKey({ secrets: () => [agentKey], clusterId, clock });
}

/** Starts an agent that lends the pages of the test. */
async function lendingAgent(
  t: TestContext,
  lendPage: PageRoutesOptions['lendPage'],
  options: { clock?: Clock } = {},
) {
  const metrics = new Metrics();
  const clock = options.clock ?? systemClock;
  const routes = pageRoutes({ key: keyOf(), pageBytes, lendPage, clock, log: silentLog, metrics });
  const listener = await loopbackListener(routes, clock, metrics);
  t.after(() => listener.close());
  return {
    url: `http://127.0.0.1:${listener.port}`,
    port: listener.port,
    close: () => listener.close(),
    metrics,
    count: (metric: string, outcome: string) =>
      Number(new RegExp(`${metric}\\{outcome="${outcome}"\\} (\\d+)`).exec(metrics.render())?.[1] ?? 0),
  };
}

/** Starts a server that is not an agent. */
async function impostor(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A TCP proxy between client and agent, to observe and cut connections. */
async function startProxy(t: TestContext, port: number, see: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    const onward = connect(port, '127.0.0.1');
    socket.on('error', () => onward.destroy());
    onward.on('error', () => socket.destroy());
    see(socket);
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(t: TestContext, key = keyOf(), clock: Clock = systemClock): PeerClient {
  const client = new PeerClient({ key, clock });
  t.after(() => client.close());
  return client;
}

function bytesOf(page: Page): Buffer {
  const slices: Buffer[] = [];
  page.collect(0, page.byteLength, slices);
  return Buffer.concat(slices);
}

function failsWith(reason: PeerFailureReason, message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof PeerFailure, String(error));
    assert.match(error.message, message);
    assert.equal(error.reason, reason);
    return true;
  };
}

function noise(bytes: number, seed = bytes): Buffer {
  const random = seededRandom(seed);
  const content = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) content.writeUInt32LE(random.below(2 ** 32), at);
  return content;
}

test('a page arrives as it was lent, from memory or from the bucket, in any slices', async (t) => {
  const contents = [0, 1, 61, 65_537, pageBytes].map((bytes) => noise(bytes));
  const cuts = [1, 100, 5_000, pageBytes];
  const lent: Page[] = [];
  const agent = await lendingAgent(t, (_, index) =>
    index % 2 === 0 ? lent[index]! : Promise.resolve(lent[index]!),
  );
  const client = clientOf(t);
  for (const content of contents) {
    for (const cut of cuts) {
      const slices: Buffer[] = [];
      // Slices of one byte only for small pages: a megabyte of them would add nothing.
      const sliceBytes = content.length > 65_537 ? Math.max(cut, 50) : cut;
      for (let at = 0; at < content.length; at += sliceBytes)
        slices.push(content.subarray(at, at + sliceBytes));
      lent.push(pagesOf(slices, pageBytes)[0] ?? new Page([]));
      const page = await client.read(agent.url, { ...address, index: lent.length - 1 });
      assert.ok(bytesOf(page).equals(content), `${content.length} bytes in slices of ${sliceBytes}`);
    }
  }
  const served = 'agent_file_cache_server_get_stream_range_outcome';
  assert.deepEqual([agent.count(served, 'hit'), agent.count(served, 'miss')], [10, 10]);
});

test('many pages share few connections', async (t) => {
  const content = noise(100_000);
  const agent = await lendingAgent(t, () => new Page([content]));
  let connections = 0;
  const url = await startProxy(t, agent.port, () => {
    connections++;
  });
  const client = clientOf(t);
  for (let round = 0; round < 5; round++) {
    const pages = await Promise.all(
      Array.from({ length: 6 }, (_, index) => client.read(url, { ...address, index })),
    );
    assert.ok(pages.every((page) => bytesOf(page).equals(content)));
  }
  assert.equal(connections, 6);
});

test('errors of the bucket are passed on', async (t) => {
  const agent = await lendingAgent(t, (_, index) => {
    if (index === 1) return Promise.reject(new ObjectNotFound('service/x'));
    return Promise.reject(new Error('on purpose'));
  });
  const client = clientOf(t);
  await assert.rejects(
    client.read(agent.url, { ...address, index: 1 }),
    failsWith('missing', /404 not found/),
  );
  await assert.rejects(client.read(agent.url, address), failsWith('broken', /502 failed to read the page/));
});

test('requests that no agent makes', async (t) => {
  let lent = 0;
  const agent = await lendingAgent(t, () => {
    lent++;
    return Promise.reject(new ObjectNotFound('service/x'));
  });
  const now = systemClock.nowMs();
  const good = pagePath(address);
  const signed = (path: string, key = keyOf()) => key.sign('GET', path).authorization;
  const ahead = keyOf({ clock: new HandClock(now + exchangeSkewMsMax + 60_000) });
  const behind = keyOf({ clock: new HandClock(now - exchangeSkewMsMax - 60_000) });
  const odd = good.replace('page=0', 'page=-1');
  const cases: [what: string, path: string, authorization: string | undefined, expected: RegExp][] = [
    ['a file that does not exist', good, signed(good), /^404 not found/],
    ['no signature', good, undefined, /^401 .*not signed/],
    ['an agent key', good, 'Bearer aks_1', /^401 .*must be Weir-Page-V1/],
    ['the signature of another page', good, signed(pagePath({ ...address, index: 1 })), /^401 .*signature/],
    ['another key', good, signed(good, keyOf({ agentKey: 'aks_2' })), /^401 .*signature/],
    ['another cluster', good, signed(good, keyOf({ clusterId: 'vci_two' })), /^401 .*signature/],
    ['an old request', good, signed(good, behind), /^401 .*clock skew/],
    ['a request from the future', good, signed(good, ahead), /^401 .*clock skew/],
    ['no page', odd, signed(odd), /^400 path must be/],
    ['no page, unsigned', odd, undefined, /^401/],
    [
      'another size',
      good.replace('1048576', '100'),
      signed(good.replace('1048576', '100')),
      /^400 .*1048576/,
    ],
    [
      'a path out of the folder',
      `/v1/internal/files/../../status?page=0&pageBytes=${pageBytes}`,
      undefined,
      /^404 \/v1\/status: not found/,
    ],
    [
      'a percent-encoded path out of the folder',
      `/v1/internal/files/%2e%2e%2f${fileId}?page=0&pageBytes=${pageBytes}`,
      signed(`/v1/internal/files/%2e%2e%2f${fileId}?page=0&pageBytes=${pageBytes}`),
      /^400 file id must have 32 hex digits/,
    ],
    [
      'a path that returns to the folder',
      `/v1/internal/files/x/../${fileId}?page=0&pageBytes=${pageBytes}`,
      signed(`/v1/internal/files/x/../${fileId}?page=0&pageBytes=${pageBytes}`),
      /^400 path must be/,
    ],
    ['an invalid target', '//', undefined, /^400 the target of the request/],
    ['the folder', '/v1/internal/files/', signed('/v1/internal/files/'), /^400 path must be/],
  ];
  for (const [what, path, authorization, expected] of cases) {
    assert.match(await ask(agent.port, path, authorization), expected, what);
  }
  assert.equal(lent, 1, 'only the first request reached the bucket');
});

/** Sends a target unchanged, which `fetch` would normalise. */
function ask(port: number, target: string, authorization: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const header = authorization === undefined ? '' : `authorization: ${authorization}\r\n`;
    socket.write(`GET ${target} HTTP/1.1\r\nhost: agent\r\nconnection: close\r\n${header}\r\n`);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    socket.on('error', reject);
    socket.on('close', () => {
      // The announcement of a slow page precedes the answer.
      const last = answer.slice(answer.lastIndexOf('HTTP/1.1 '));
      const [head = '', body = ''] = last.split('\r\n\r\n');
      resolve(`${head.split(' ')[1]} ${body}`);
    });
  });
}

function proofOf(key: ExchangeKey, { url = '', headers }: IncomingMessage, bytes: number): string {
  const verified = key.verify('GET', url, headers.authorization);
  return 'prove' in verified ? verified.prove(bytes) : '';
}

test('servers that answer like an agent and are none', async (t) => {
  const key = keyOf();
  const send = (headers: Record<string, string>, body: string): RequestListener => {
    return (_, response) => {
      response.writeHead(200, headers);
      response.end(body);
    };
  };
  const cases: [what: string, RequestListener, PeerFailureReason, RegExp][] = [
    ['no proof', send({ 'content-length': '4' }, 'page'), 'refused', /not an agent of this cluster/],
    [
      'a wrong proof',
      send({ 'content-length': '4', [proofHeader]: 'x'.repeat(43) }, 'page'),
      'refused',
      /not an agent of this cluster/,
    ],
    ['no length', send({}, 'page'), 'broken', /expected a page of 1048576/],
    ['too much', send({ 'content-length': '1048577' }, ''), 'broken', /got 1048577/],
    [
      'fewer bytes than it proved',
      (request, response) => {
        response.writeHead(200, {
          'content-length': 9,
          [proofHeader]: proofOf(key, request, 9),
        });
        response.write('page');
        systemClock.after(20, () => response.destroy());
      },
      'unreachable',
      /connection closed/,
    ],
    [
      'another protocol',
      (_, response) => {
        response.socket!.end('SSH-2.0-OpenSSH_9.2\r\n');
      },
      'unreachable',
      /connection closed/,
    ],
    [
      'an endless refusal',
      (_, response) => {
        response.writeHead(500);
        const writeMore = () => {
          if (!response.destroyed) response.write('x'.repeat(1_000), () => systemClock.after(1, writeMore));
        };
        writeMore();
      },
      'broken',
      /^500 $/,
    ],
    [
      'a greeting of another protocol',
      (_, response) => {
        response.socket!.end('SSH-2.0-OpenSSH_9.2\r\nand a lot more\r\n\r\n');
      },
      'broken',
      /does not speak HTTP/,
    ],
    [
      'endless headers',
      (_, response) => {
        response.socket!.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`);
      },
      'broken',
      /bytes of headers/,
    ],
    [
      'more bytes than it announced',
      (request, response) => {
        const proof = proofOf(key, request, 4);
        response.socket!.write(
          `HTTP/1.1 200 OK\r\ncontent-length: 4\r\n${proofHeader}: ${proof}\r\n\r\npages`,
        );
      },
      'broken',
      /more bytes than Content-Length/,
    ],
    [
      'a redirection',
      (_, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/' });
        response.end();
      },
      'broken',
      /^302/,
    ],
  ];
  for (const [what, listener, reason, message] of cases) {
    const url = await impostor(t, listener);
    await assert.rejects(clientOf(t).read(url, address), failsWith(reason, message), what);
  }
});

test('addresses where no agent listens', async (t) => {
  const closed = await lendingAgent(t, () => new Page([]));
  await closed.close();
  const cases: [url: string, PeerFailureReason, RegExp][] = [
    [closed.url, 'unreachable', /ECONNREFUSED/],
    ['not a url', 'broken', /invalid URL/],
    ['ftp://127.0.0.1/', 'broken', /does not match this agent/],
    ['', 'broken', /invalid URL/],
  ];
  for (const [url, reason, message] of cases) {
    await assert.rejects(clientOf(t).read(url, address), failsWith(reason, message), url);
  }
});

test('a silent agent is given up soon, one that is working later', async (t) => {
  // Time stands still, so that only the limits decide.
  const clock = new HandClock();
  const key = keyOf({ clock });
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  });
  const outcomeOf = (read: Promise<Page>) =>
    read.then(
      () => 'a page',
      (error: PeerFailure) => `${error.reason}: ${error.message}`,
    );

  const toSilent = outcomeOf(
    clientOf(t, key, clock).read(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, address),
  );
  await until(() => sockets.length === 1);
  clock.advance(answerMsMax);
  assert.equal(await toSilent, `silent: no response within ${answerMsMax} ms`);

  let processing = () => {};
  const atWork = await impostor(t, (_, response) => {
    processing = () => response.writeProcessing();
    processing();
  });
  const toBusy = outcomeOf(clientOf(t, key, clock).read(atWork, address));
  let outcome: string | undefined;
  void toBusy.then((found) => {
    outcome = found;
  });
  await pause();
  clock.advance(answerMsMax);
  await pause();
  assert.equal(outcome, undefined, 'it announced that it is working');
  clock.advance(workMsMax);
  assert.equal(await toBusy, `silent: no page within ${workMsMax} ms`);

  const stalled = await impostor(t, (request, response) => {
    response.writeHead(200, { 'content-length': 1000, [proofHeader]: proofOf(key, request, 1000) });
    response.write('begin');
  });
  const toStalled = outcomeOf(clientOf(t, key, clock).read(stalled, address));
  await pause();
  clock.advance(bodyMsMax);
  assert.equal(await toStalled, `silent: no end of the page within ${bodyMsMax} ms`);
  assert.equal(clock.waiting, 0);
});

test('a connection that the peer closed meanwhile is not a failure', async (t) => {
  const content = noise(1_000);
  const agent = await lendingAgent(t, () => new Page([content]));
  // The worst moment is while the second request is in flight.
  let requests = 0;
  const url = await startProxy(t, agent.port, (socket) => {
    socket.prependListener('data', () => {
      if (++requests === 2) socket.resetAndDestroy();
    });
  });
  const client = clientOf(t);
  assert.ok(bytesOf(await client.read(url, address)).equals(content));
  assert.ok(bytesOf(await client.read(url, address)).equals(content));
  assert.equal(requests, 3);
});

test('the number of pages served at a time is limited, and a reader that does not read is cut off', async (t) => {
  const clock = new HandClock(systemClock.nowMs());
  let resolvePage = (_: Page) => {};
  const page = new Promise<Page>((resolve) => {
    resolvePage = resolve;
  });
  const agent = await lendingAgent(t, () => page, { clock });
  const clients = Array.from(
    { length: brokerLimits.peerPagesServedMax / brokerLimits.peerPageReadsPerPeerMax },
    () => clientOf(t),
  );
  const reads = clients.flatMap((client) =>
    Array.from({ length: brokerLimits.peerPageReadsPerPeerMax }, () => client.read(agent.url, address)),
  );
  await until(() => agent.metrics.render().includes(`fetches ${brokerLimits.peerPagesServedMax}\n`));
  await assert.rejects(clientOf(t).read(agent.url, address), failsWith('busy', /503 too many/));
  resolvePage(new Page([noise(500)]));
  assert.ok((await Promise.all(reads)).every(({ byteLength }) => byteLength === 500));
  assert.equal((await clientOf(t).read(agent.url, address)).byteLength, 500, 'a permit is free again');

  const large = await lendingAgent(t, () => new Page(Array.from({ length: 64 }, () => noise(pageBytes))), {
    clock,
  });
  const reader = connect(large.port, '127.0.0.1');
  reader.on('error', () => {});
  t.after(() => reader.destroy());
  const path = pagePath(address);
  reader.write(
    `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${keyOf().sign('GET', path).authorization}\r\n\r\n`,
  );
  reader.pause();
  const served = 'agent_file_cache_server_get_stream_range_outcome';
  await until(() => clock.waiting === 1);
  assert.equal(large.count(served, 'cut'), 0);
  clock.advance(sendMsMax);
  await until(() => large.count(served, 'cut') === 1);
});
