import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { until } from '@weir/core/testing';
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

test('a full port takes a new connection in place of a half-sent one', async (t) => {
  const server = await start(t, {
    connectionsMax: 3,
    loadAnswer: async () => async (_request, response) => void response.end('{}'),
  });
  const request = 'GET / HTTP/1.1\r\nhost: a\r\n';
  const halfSent = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const socket = connect(server.port, '127.0.0.1');
      t.after(() => socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(request);
      return socket;
    }),
  );
  const closed = Promise.race(halfSent.map((socket) => once(socket, 'close')));
  for (const socket of halfSent) socket.resume();
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  assert.equal(await response.text(), '{}');
  await closed;
});

test('pipelined requests take turns, up to a limit', async (t) => {
  let running = 0;
  let runningMax = 0;
  const server = await start(t, {
    loadAnswer: async () => async (_request, response) => {
      running++;
      runningMax = Math.max(runningMax, running);
      response.once('close', () => running--);
      response.end('{}');
    },
  });
  const socket = connect(server.port, '127.0.0.1');
  t.after(() => socket.destroy());
  let answers = '';
  socket.setEncoding('latin1').on('data', (text) => {
    answers += text;
  });
  socket.on('error', () => {});
  const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';
  socket.write(request.repeat(5));
  await until(() => answers.split('HTTP/1.1 200').length === 6);
  assert.equal(runningMax, 1);
  const closed = once(socket, 'close');
  socket.write(request.repeat(1_400));
  await closed;
});
