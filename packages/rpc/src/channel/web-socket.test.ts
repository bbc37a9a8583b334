import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { nextTurn, systemClock } from '@weir/core';
import { WebSocketServer } from 'ws';
import { type Channel, endCodes } from './channel.ts';
import { dialWebSocket, servedChannel, subprotocol } from './web-socket.ts';

/** Both ends of a connection over a socket. */
async function connected(t: TestContext): Promise<{ readonly agent: Channel; readonly served: Channel }> {
  const server: Server = createServer();
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: () => subprotocol });
  const upgraded = Promise.withResolvers<Channel>();
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) =>
      upgraded.resolve(servedChannel(webSocket, socket)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  const agent = await dialWebSocket({
    url: `http://127.0.0.1:${port}`,
    clusterId: 'c',
    agentKey: 'k',
    signal,
  });
  const served = await upgraded.promise;
  t.after(() => {
    agent.abort();
    served.abort();
    server.close();
  });
  return { agent, served };
}

/** Collects what a channel receives until it ends. */
function received(channel: Channel): Promise<readonly Buffer[]> {
  const frames: Buffer[] = [];
  return new Promise((resolve) => {
    channel.listen({ onFrame: (frame) => frames.push(Buffer.from(frame)), onEnd: () => resolve(frames) });
  });
}

/** Around the lengths at which the head of a message changes, and those at which it is written with its frame. */
const sizes = [0, 1, 125, 126, 127, 4_095, 4_096, 4_097, 65_535, 65_536, 70_000];
const frames = sizes.map((size, number) => Buffer.alloc(size, number + 1));

test('a control plane sends frames of any size, whole and in order', async (t) => {
  const { agent, served } = await connected(t);
  const arrived = received(agent);
  void received(served);
  // Many in one turn of the event loop, and then each in a turn of its own.
  for (const frame of frames) served.send(frame);
  for (const frame of frames) {
    await nextTurn(systemClock);
    served.send(frame);
  }
  served.close(endCodes.done, 'all was sent');
  assert.deepEqual(await arrived, [...frames, ...frames]);
});

test('an agent sends frames of any size', async (t) => {
  const { agent, served } = await connected(t);
  const arrived = received(served);
  void received(agent);
  for (const frame of frames) agent.send(frame);
  agent.close(endCodes.done, 'all was sent');
  assert.deepEqual(await arrived, frames);
});

test('what is not written yet is counted, and nothing is sent after the end', async (t) => {
  const { agent, served } = await connected(t);
  void received(served);
  const arrived = received(agent);
  served.send(Buffer.alloc(100));
  assert.ok(served.unsentBytes() >= 100);
  served.close(endCodes.done, '');
  served.send(Buffer.alloc(10));
  assert.deepEqual(await arrived, [Buffer.alloc(100)]);
});
