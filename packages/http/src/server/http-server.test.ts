import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as secureConnect } from 'node:tls';
import { Metrics, scrapeIntervalMs, silentLog } from '@weir/core';
import { HandClock, until } from '@weir/core/testing';
import { ServerCertificates } from '@weir/security';
import { TestCa } from '@weir/security/testing';
import { httpConnectionsCutRow } from '../connections/agent-http-connections.ts';
import { httpLimits } from '../limits.ts';
import { startHttpListener } from './http-server.ts';
import { metricsRoutes, probeRoutes } from './probe-routes.ts';

const clock = new HandClock();
const base = { host: '127.0.0.1', port: 0, clock, log: silentLog };

test('probes, metrics and errors', async (t) => {
  const probed = {
    hasStarted: false,
    problem: (): { reason: string } | undefined => ({ reason: 'starting' }),
  };
  const metrics = new Metrics();
  metrics.series({ name: 'up', kind: 'gauge', help: 'Up.', labels: [] }, {}).set(1);
  const broken = {
    method: 'GET' as const,
    path: '/broken/',
    handle() {
      throw new Error('on purpose');
    },
  };
  const routes = [...probeRoutes(probed), ...metricsRoutes(metrics, clock), broken];
  const listener = await startHttpListener({ ...base, routes, metrics });
  t.after(() => listener.close());

  async function ask(path: string, method = 'GET'): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(response.headers.get('strict-transport-security'), null, 'the connection is plain');
    return `${response.status} ${(await response.text()).trim().split('\n').at(-1)}`;
  }
  assert.equal(await ask('/v1/status'), '503 starting');
  assert.equal(await ask('/v1/ready'), '503 not ready: starting');
  probed.hasStarted = true;
  probed.problem = () => ({ reason: 'store unavailable' });
  assert.equal(await ask('/v1/status'), '200 OK', 'an agent that is not ready is alive');
  assert.equal(await ask('/v1/ready'), '503 not ready: store unavailable');
  probed.problem = () => undefined;
  // path, method, status and last line
  const cases = [
    ['/v1/status', 'GET', '200 OK'],
    ['/v1/ready', 'GET', '200 OK'],
    ['/metrics', 'GET', '200 service_up 1'],
    ['/v1/status', 'POST', '405 POST is not allowed here'],
    ['/v1/statuses', 'GET', '404 /v1/statuses: not found'],
    ['/broken/deep', 'GET', '500 internal error'],
    ['/v1/status?x=1', 'GET', '200 OK'],
  ] as const;
  for (const [path, method, expected] of cases)
    assert.equal(await ask(path, method), expected, `${method} ${path}`);

  // Not a valid URL. `fetch` would not send it.
  const socket = connect(listener.port, '127.0.0.1');
  socket.end('GET // HTTP/1.1\r\nhost: agent\r\nconnection: close\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(await ask('/v1/status'), '200 OK', 'the server still answers');
});

/** Returns the answer to bytes that need not be a request. */
async function answerTo(socket: Socket, bytes: string): Promise<string> {
  socket.end(bytes);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

const ca = await TestCa.create();

/** A listener with probes and metrics, in plain text or by TLS, and how to connect to it. */
async function started(
  t: TestContext,
  isSecure: boolean,
  options: { readonly connectionsMax?: number } = {},
) {
  const metrics = new Metrics();
  const routes = [
    ...probeRoutes({ hasStarted: true, problem: () => undefined }),
    ...metricsRoutes(metrics, clock),
  ];
  const material = { ...(await ca.issue({ ips: ['127.0.0.1'] })), authorities: ca.certificate };
  const certificates = await ServerCertificates.load({
    source: { name: 'the test', intervalMs: 5_000, read: async () => material },
    profile: 'golang-default',
    clock: new HandClock(),
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => certificates.close());
  const tls = isSecure ? { tls: { certificates } } : {};
  const listener = await startHttpListener({ ...base, ...options, routes, ...tls, metrics });
  t.after(() => listener.close());
  const dial = (): Socket =>
    isSecure
      ? secureConnect({ port: listener.port, host: '127.0.0.1', ca: ca.certificate })
      : connect(listener.port, '127.0.0.1');
  const cutCount = (reason: string) =>
    metrics
      .read()
      .find(({ row }) => row === httpConnectionsCutRow)
      ?.series.find(({ labels }) => labels.listener === 'http' && labels.reason === reason)?.value ?? 0;
  return { metrics, dial, cutCount };
}

for (const isSecure of [false, true]) {
  test(`every answer of ${isSecure ? 'a TLS' : 'a plain'} listener forbids content sniffing, errors included`, async (t) => {
    const { dial } = await started(t, isSecure);
    const rest = 'host: agent\r\nconnection: close\r\n\r\n';
    const cases: [request: string, status: number][] = [
      [`GET /v1/status HTTP/1.1\r\n${rest}`, 200],
      [`GET /metrics HTTP/1.1\r\n${rest}`, 200],
      [`GET /elsewhere HTTP/1.1\r\n${rest}`, 404],
      [`POST /metrics HTTP/1.1\r\n${rest}`, 405],
      [`GET // HTTP/1.1\r\n${rest}`, 400],
      [`GET /v1/status HTTP/1.1\r\nexpect: a miracle\r\n${rest}`, 417],
      ['GET /v1/status HTTP/1.1\r\n\r\n', 400],
      ['GET /v1/status HTTP/1.0\r\n\r\n', 200],
      ['GET / HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n', 400],
      ['what is this\r\n\r\n', 400],
      [`GET /v1/status HTTP/1.1\r\nx: ${'x'.repeat(40_000)}\r\n${rest}`, 431],
    ];
    for (const [request, status] of cases) {
      const answer = await answerTo(dial(), request);
      const shown = `${status}: ${answer.slice(0, 300)}`;
      assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), shown);
      assert.match(answer, /^x-content-type-options: nosniff\r$/im, shown);
      assert.equal(/^strict-transport-security: max-age=31536000\r$/im.test(answer), isSecure, shown);
    }
  });
  test(`pipelined requests of ${isSecure ? 'a TLS' : 'a plain'} connection take turns, up to a limit`, async (t) => {
    const { dial, cutCount, metrics } = await started(t, isSecure);
    let renderCount = 0;
    const { render } = metrics;
    metrics.render = () => {
      renderCount++;
      return render.call(metrics);
    };
    const scrape = 'GET /metrics HTTP/1.1\r\nhost: agent\r\n\r\n';
    const few = dial();
    let answers = '';
    few.setEncoding('latin1').on('data', (text) => {
      answers += text;
    });
    few.write(scrape.repeat(httpLimits.httpRequestsWaitingMax));
    await until(() => answers.split('HTTP/1.1 200 OK').length === httpLimits.httpRequestsWaitingMax + 1);
    assert.equal(renderCount, 1, 'all answers share one text');
    few.destroy();

    const many = dial();
    many.on('error', () => {});
    const closed = once(many, 'close');
    many.resume();
    many.write(scrape.repeat(1_400));
    await closed;
    assert.equal(cutCount('requests'), 1);
    assert.equal(renderCount, 1);
    clock.advance(scrapeIntervalMs);
    await answerTo(dial(), scrape.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'));
    assert.equal(renderCount, 2, 'a second later the text is new');
  });

  test(`half-sent requests of ${isSecure ? 'TLS' : 'plain'} connections do not keep probes out`, async (t) => {
    const connectionsMax = 8;
    const { dial, cutCount } = await started(t, isSecure, { connectionsMax });
    const probe = 'GET /v1/status HTTP/1.1\r\nhost: agent\r\n';
    const idle = dial();
    idle.write(`${probe}\r\n`);
    await once(idle, 'data');
    const halfSent: Socket[] = [];
    let closedCount = 0;
    for (let count = 0; count < 3 * connectionsMax; count++) {
      const socket = dial();
      t.after(() => socket.destroy());
      socket.on('error', () => {}).on('close', () => closedCount++);
      socket.write(probe);
      halfSent.push(socket);
      await once(socket, isSecure ? 'secureConnect' : 'connect');
    }
    await until(() => closedCount > 2 * connectionsMax);
    assert.match(await answerTo(dial(), `${probe}connection: close\r\n\r\n`), /^HTTP\/1\.1 200 /);
    assert.equal(cutCount('full'), 0);
    assert.equal(cutCount('share'), 2 * connectionsMax + 2, 'each further one ends the oldest');
    idle.write(`${probe}\r\n`);
    const [again] = await once(idle, 'data');
    assert.match(String(again), /^HTTP\/1\.1 200 /, 'a client that has sent whole requests is left alone');
    idle.destroy();
  });
}
