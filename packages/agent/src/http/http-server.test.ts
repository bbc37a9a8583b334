import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Metrics, silentLog } from '@weir/core';
import { startHttpListener } from './http-server.ts';
import { metricsRoutes, probeRoutes } from './probe-routes.ts';

test('probes, metrics and mistakes', async (t) => {
  let ready = false;
  const metrics = new Metrics();
  metrics.series({ name: 'up', kind: 'gauge', help: 'Up.', labels: [] }, {}).set(1);
  const broken = {
    method: 'GET' as const,
    path: '/broken/',
    handle() {
      throw new Error('on purpose');
    },
  };
  const routes = [...probeRoutes(() => ready), ...metricsRoutes(metrics), broken];
  const listener = await startHttpListener({ host: '127.0.0.1', port: 0, routes, log: silentLog });
  t.after(() => listener.close());

  async function ask(path: string, method = 'GET'): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${listener.port}${path}`, { method });
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(response.headers.get('strict-transport-security'), null, 'the connection is plain');
    return `${response.status} ${(await response.text()).trim().split('\n').at(-1)}`;
  }
  assert.equal(await ask('/v1/status'), '503 starting');
  ready = true;
  // path, method, status and last line
  const cases = [
    ['/v1/status', 'GET', '200 OK'],
    ['/metrics', 'GET', '200 service_up 1'],
    ['/v1/status', 'POST', '405 POST is not allowed here'],
    ['/v1/statuses', 'GET', '404 there is nothing at /v1/statuses'],
    ['/broken/deep', 'GET', '500 internal error'],
    ['/v1/status?x=1', 'GET', '200 OK'],
  ] as const;
  for (const [path, method, expected] of cases)
    assert.equal(await ask(path, method), expected, `${method} ${path}`);

  // What no URL can be made of. `fetch` would not send it.
  const socket = connect(listener.port, '127.0.0.1');
  socket.end('GET // HTTP/1.1\r\nhost: agent\r\nconnection: close\r\n\r\n');
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(await ask('/v1/status'), '200 OK', 'and it is still there');
});
