import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { RegistryMetrics } from './registry-metrics.ts';
import { startRegistryServer } from './registry-server.ts';

type Differences = Pick<Parameters<typeof startRegistryServer>[0], 'loadAnswer' | 'connectionsMax'>;

async function start(t: TestContext, differences: Differences) {
  const server = await startRegistryServer({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    metrics: new RegistryMetrics(new Metrics()),
    ...differences,
  });
  t.after(() => server.stop({ deadlineMs: 0 }));
  return server;
}

test('a request that fails ends its own connection, and the registry stays loaded', async (t) => {
  let loads = 0;
  let requests = 0;
  const server = await start(t, {
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
  const url = `http://127.0.0.1:${server.port}/`;
  await assert.rejects(async () => (await fetch(url)).text());
  assert.equal(await (await fetch(url)).text(), '{}');
  assert.equal(loads, 1);
});

test('a registry that cannot be loaded is loaded again for the next request', async (t) => {
  let loads = 0;
  const server = await start(t, {
    async loadAnswer() {
      if (++loads === 1) throw new Error('not now');
      return async (_request, response) => void response.end('{}');
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  assert.equal((await fetch(url)).status, 500);
  assert.equal((await fetch(url)).status, 200);
});

test('one address has at most half of the connections', async (t) => {
  const server = await start(t, {
    connectionsMax: 6,
    loadAnswer: async () => async (_request, response) => void response.end('{}'),
  });
  /** Whether a connection is served, which then stays open. */
  const open = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      t.after(() => socket.destroy());
      socket.once('data', () => resolve(true)).once('error', () => {});
      socket.once('close', () => resolve(false));
    });
  assert.deepEqual([await open(), await open(), await open(), await open()], [true, true, true, false]);
});
