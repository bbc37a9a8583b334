import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as secureConnect } from 'node:tls';
import { Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestCa } from '../../testing/test-ca.ts';
import { ServerCertificates } from '../security/tls/server-certificates.ts';
import { startHttpListener } from './http-server.ts';
import { metricsRoutes, probeRoutes } from './probe-routes.ts';

test('probes, metrics and errors', async (t) => {
  const probed = { hasStarted: false, problem: (): string | undefined => 'starting' };
  const metrics = new Metrics();
  metrics.series({ name: 'up', kind: 'gauge', help: 'Up.', labels: [] }, {}).set(1);
  const broken = {
    method: 'GET' as const,
    path: '/broken/',
    handle() {
      throw new Error('on purpose');
    },
  };
  const routes = [...probeRoutes(probed), ...metricsRoutes(metrics), broken];
  const listener = await startHttpListener({ host: '127.0.0.1', port: 0, routes, log: silentLog });
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
  probed.problem = () => 'two\nlines';
  assert.equal(await ask('/v1/status'), '200 OK', 'an agent that is not ready is alive');
  assert.equal(await ask('/v1/ready'), '503 not ready: two lines');
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

for (const isSecure of [false, true]) {
  test(`every answer of ${isSecure ? 'a TLS' : 'a plain'} listener forbids content sniffing, errors included`, async (t) => {
    const routes = [
      ...probeRoutes({ hasStarted: true, problem: () => undefined }),
      ...metricsRoutes(new Metrics()),
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
    const tls = isSecure ? { tls: { certificates, clock: new HandClock() } } : {};
    const listener = await startHttpListener({ host: '127.0.0.1', port: 0, routes, ...tls, log: silentLog });
    t.after(() => listener.close());
    const dial = () =>
      isSecure
        ? secureConnect({ port: listener.port, host: '127.0.0.1', ca: ca.certificate })
        : connect(listener.port, '127.0.0.1');
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
}
