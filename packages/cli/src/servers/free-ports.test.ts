import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { freePorts } from './free-ports.ts';

test('a port that is taken is replaced by a free one, and others stay', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const found = await freePorts('127.0.0.1', { any: 0, first: port, second: port });
  assert.equal(found.any, 0);
  assert.ok(found.first > port && found.second > found.first, JSON.stringify({ port, ...found }));
  assert.deepEqual(await freePorts('127.0.0.1', { free: found.first }), { free: found.first });
});

test('an address that the machine does not have is left to the server', async () => {
  assert.deepEqual(await freePorts('192.0.2.1', { port: 9092 }), { port: 9092 });
});
