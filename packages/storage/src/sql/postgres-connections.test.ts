import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openStore } from '../open-store.ts';
import { openPostgresStore } from './open-sql-store.ts';
import { PostgresConnections } from './postgres-connections.ts';
import { PostgresProblem } from './postgres-errors.ts';
import { parsePostgresUrl } from './sql-url.ts';

/** A server that takes connections and never answers, as one that is paused. */
async function silentServer(t: TestContext) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  t.after(stop);
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://user:hidden@127.0.0.1:${port}/db`,
    accepted: () => once(server, 'connection'),
    stop,
  };
}

test('a server that is silent loses its connections, and later statements get new ones', async (t) => {
  const server = await silentServer(t);
  const clock = new HandClock();
  const replaced: number[] = [];
  const connections = new PostgresConnections(parsePostgresUrl(new URL(server.url)), {
    clock,
    onReplaced: (silentMs) => void replaced.push(silentMs),
  });
  for (const round of [1, 2]) {
    const accepted = server.accepted();
    const failed = assert.rejects(connections.run('SELECT 1', [], 'key'), (error: unknown) => {
      assert.ok(error instanceof PostgresProblem);
      assert.equal(error.problem.kind, 'unavailable');
      assert.doesNotMatch(error.problem.text, /hidden/);
      return true;
    });
    await accepted;
    assert.equal(clock.waiting, 1);
    clock.advance(35_000);
    await failed;
    assert.deepEqual(replaced, Array(round).fill(35_000));
    assert.equal(clock.waiting, 0);
  }
  await connections.close();
});

test('a call to a server that does not answer ends when it is aborted', async (t) => {
  const server = await silentServer(t);
  const deps = { clock: systemClock, random: systemRandom, log: silentLog, metrics: new Metrics() };
  const store = await openStore(server.url, { ...deps, environment: {} });
  const abort = new AbortController();
  const content = [Buffer.alloc(3_000_000)];
  const accepted = server.accepted();
  const calls = [
    store.put('key', content, { signal: abort.signal }),
    store.getRange('key', 0, 1, { signal: abort.signal }),
    store.deleteMany(['key'], { signal: abort.signal }),
  ].map((call) => assert.rejects(call as Promise<unknown>, /no longer wanted/));
  await accepted;
  abort.abort(new Error('no longer wanted'));
  await Promise.all(calls);
  server.stop();
  await store.close();
});

const packet = (type: string, content: Buffer) => {
  const head = Buffer.from(`${type}....`);
  head.writeInt32BE(4 + content.length, 1);
  return Buffer.concat([head, content]);
};
const int32 = (value: number) => Buffer.from([0, 0, 0, value]);

/** The second step of a login, without what it has to say. */
const brokenLogin = Buffer.concat([
  packet('R', Buffer.concat([int32(10), Buffer.from('SCRAM-SHA-256\0\0')])),
  packet('R', Buffer.concat([int32(11), Buffer.from('nothing')])),
]);
const refusal = packet('E', Buffer.from('SFATAL\0VFATAL\0C28P01\0Mwrong password\0\0'));

test('a server that breaks the protocol costs the calls of that moment, and not the bucket', async (t) => {
  let answer = brokenLogin;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (_message: string, fields: unknown) => void warnings.push(fields) };
  const store = await openPostgresStore(new URL(`postgres://user:hidden@127.0.0.1:${port}/db`), { log });
  await assert.rejects(store.head('key'), { kind: 'unavailable', message: /the thread failed/ });
  assert.equal(warnings.length, 1);
  assert.doesNotMatch(JSON.stringify(warnings), /hidden/);
  answer = refusal;
  await assert.rejects(store.head('key'), { kind: 'denied', message: /wrong password/ });
  await store.close();
  await assert.rejects(store.head('key'), { kind: 'unavailable', message: /it was closed/ });
});
