import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readIntoSharedMemory } from './socket-memory.ts';

test('sockets of a server read into shared memory, stop when they are paused, and end', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = await accepted;
  t.after(() => {
    client.destroy();
    socket.destroy();
    server.close();
  });
  const memories = new Set<ArrayBufferLike>();
  let text = '';
  let arrived = () => {};
  socket.pause();
  const isShared = readIntoSharedMemory(socket, (bytes) => {
    memories.add(bytes.buffer);
    text += bytes.toString();
    arrived();
  });
  assert.ok(isShared, 'this release of Node.js has other internals');
  const until = async (wanted: string) => {
    while (text !== wanted) await new Promise<void>((resolve) => (arrived = resolve));
  };
  socket.resume();
  client.write('one');
  await until('one');
  socket.pause();
  client.write(' two');
  socket.resume();
  await until('one two');
  client.end(' three');
  await once(socket, 'end');
  assert.equal(text, 'one two three');
  assert.equal(memories.size, 1);
});

test('another stream stays as it is', () => {
  assert.equal(
    readIntoSharedMemory(new PassThrough(), () => assert.fail()),
    false,
  );
});
