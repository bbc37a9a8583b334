import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { RegistryMetrics } from './registry-metrics.ts';
import { startRegistryServer } from './registry-server.ts';

test('a request that fails ends its own connection, and the registry stays loaded', async (t) => {
  let loads = 0;
  let requests = 0;
  const server = await startRegistryServer({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    metrics: new RegistryMetrics(new Metrics()),
    async loadAnswer() {
      loads++;
      return async (_request, response) => {
        requests++;
        if (requests === 1) {
          response.writeHead(200).write('{');
          throw new Error('lost');
        }
        response.end('{}');
      };
    },
  });
  t.after(() => server.stop({ deadlineMs: 0 }));
  const url = `http://127.0.0.1:${server.port}/`;
  await assert.rejects(async () => (await fetch(url)).text());
  assert.equal(await (await fetch(url)).text(), '{}');
  assert.equal(loads, 1);
});

test('a registry that cannot be loaded is loaded again for the next request', async (t) => {
  let loads = 0;
  const server = await startRegistryServer({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    metrics: new RegistryMetrics(new Metrics()),
    async loadAnswer() {
      if (++loads === 1) throw new Error('not now');
      return async (_request, response) => void response.end('{}');
    },
  });
  t.after(() => server.stop({ deadlineMs: 0 }));
  const url = `http://127.0.0.1:${server.port}/`;
  assert.equal((await fetch(url)).status, 500);
  assert.equal((await fetch(url)).status, 200);
});
