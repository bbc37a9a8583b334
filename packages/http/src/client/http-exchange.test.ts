import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { httpExchange } from './http-exchange.ts';
import { withinTime } from './time-limit.ts';
import { targetOfUrl } from './url-target.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<URL> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const { signal } = new AbortController();

test('a request has its path as given, a length, and a user and password of the URL', async (t) => {
  const url = await serve(t, ({ method, url, headers }, response) => {
    const { host, authorization, connection } = headers;
    response.end(
      JSON.stringify({ method, url, host, authorization, connection, length: headers['content-length'] }),
    );
  });
  url.username = 'u';
  url.password = 'p';
  const path = '/subjects/../x?a=b';
  const answer = await httpExchange({ url, path, method: 'DELETE', body: 'é', signal }, ({ text }) =>
    text(999),
  );
  assert.deepEqual(JSON.parse(answer), {
    method: 'DELETE',
    url: path,
    host: url.host,
    authorization: `Basic ${Buffer.from('u:p').toString('base64')}`,
    connection: 'close',
    length: '2',
  });
});

test('redirects are answers', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  const target = await httpExchange({ url, signal }, async ({ status, headers }) => [
    status,
    headers.location,
  ]);
  assert.deepEqual(target, [302, '/elsewhere']);
});

test('an answer may have as many bytes as its limit, and the connection ends after more', async (t) => {
  const url = await serve(t, (_, response) => response.end('x'.repeat(100)));
  assert.equal((await httpExchange({ url, signal }, ({ text }) => text(100))).length, 100);

  const closed = Promise.withResolvers<void>();
  const endless = await serve(t, (_, response) => {
    response.on('close', closed.resolve).write('x'.repeat(100));
  });
  await assert.rejects(
    httpExchange({ url: endless, signal }, ({ text }) => text(99)),
    /^Error: response exceeds 99 bytes$/,
  );
  await closed.promise;
});

test('a body that is not read ends the connection, and one that is read keeps it open', async (t) => {
  const ports = new Set<number>();
  const url = await serve(t, ({ socket }, response) => {
    ports.add(socket.remotePort!);
    response.end('x');
  });
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const status = () => httpExchange({ url, agent, signal }, async ({ status }) => status);
  const text = () => httpExchange({ url, agent, signal }, ({ text }) => text(9));
  await text();
  await text();
  assert.equal(ports.size, 1);
  await status();
  await text();
  assert.equal(ports.size, 2);
});

test('a given connection is used, whatever the scheme', async (t) => {
  const { port } = await serve(t, ({ headers }, response) => response.end(headers.host));
  const socket = connect(Number(port), '127.0.0.1');
  const url = new URL('https://control-plane.test:8443/x');
  assert.equal(
    await httpExchange({ url, socket, signal }, ({ text }) => text(99)),
    'control-plane.test:8443',
  );
});

test('it tells whether the request may have reached the server', async (t) => {
  const url = await serve(t, ({ socket }) => socket.destroy());
  const connected: string[] = [];
  const onConnected = () => connected.push('server');
  await assert.rejects(httpExchange({ url, signal, onConnected }, async () => {}));
  assert.deepEqual(connected, ['server']);
  const lookup = (_name: string, _options: object, done: (error: Error, found: []) => void) =>
    done(new Error('refused'), []);
  const named = new URL('http://name.test');
  await assert.rejects(
    httpExchange({ url: named, lookup, signal, onConnected }, async () => {}),
    /refused/,
  );
  assert.deepEqual(connected, ['server']);
});

test('a body that does not come is too late', async (t) => {
  const headIsSent = Promise.withResolvers<void>();
  const url = await serve(t, (_, response) => {
    response.writeHead(200).write('x');
    headIsSent.resolve();
  });
  let fire = () => {};
  const clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    after: (_: number, run: () => void) => {
      fire = run;
      return () => {};
    },
  };
  const answer = withinTime({ clock, timeoutMs: 70, stop: signal }, (limited) =>
    httpExchange({ url, signal: limited }, ({ text }) => {
      void headIsSent.promise.then(() => fire());
      return text(99);
    }),
  );
  await assert.rejects(answer, /^Error: no response within 70 ms$/);
});

test('a URL names a host and a port, the usual one if it has none', () => {
  const cases: [url: string, host: string, port: number, isSecure: boolean][] = [
    ['http://a.test', 'a.test', 80, false],
    ['https://a.test', 'a.test', 443, true],
    ['https://a.test:80/x', 'a.test', 80, true],
    ['http://[::1]:8080', '::1', 8080, false],
  ];
  for (const [url, host, port, isSecure] of cases)
    assert.deepEqual(targetOfUrl(new URL(url)), { host, port, isSecure }, url);
});
