import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { apis, encodeRequest } from '@weir/wire';
import { AcceptedConnections } from '../net/accepted-connections.ts';
import { unpooledFrame } from '../net/frame-pool.ts';
import { defaultListenerLimits } from '../net/limits.ts';
import { RemoteConnection } from './remote-connection.ts';
import { toThread } from './thread-messages.ts';

const memoryBytesMax = 1000;

/** Connections of serving threads that do nothing but what the test says. */
function connections() {
  const served: string[] = [];
  const accepted = new AcceptedConnections<RemoteConnection>({
    handle: {
      serves: () => true,
      refuseApiVersions: () => ({ errorCode: 0, apiKeys: [] }) as never,
      serve({ clientId }) {
        served.push(clientId!);
        return { errorCode: 0, apiKeys: [] };
      },
    },
    limits: { ...defaultListenerLimits(1), requestBytesInFlightMax: memoryBytesMax },
    clock: new HandClock(),
    log: silentLog,
    metrics: new Metrics(),
  });
  let ids = 0;
  return {
    served,
    memory: accepted.memory,
    close: () => accepted.close(),
    open() {
      const records: (readonly number[])[] = [];
      const connection = new RemoteConnection(++ids, {
        write: (record) => void records.push(record),
        send: () => () => {},
      });
      const client = { remoteAddress: '127.0.0.1', remotePort: 1 };
      accepted.open(connection, client, (frameBytesMax) => connection.withLimit(frameBytesMax));
      return {
        connection,
        wasDestroyed: () => records.some(([kind]) => kind === toThread.destroy),
        request(clientId: string) {
          const header = { correlationId: 1, clientId };
          const bytes = Buffer.concat(encodeRequest(apis.ApiVersions, 0, header, {})).subarray(4);
          connection.onFrame(unpooledFrame(bytes), bytes.length, 0, 0);
        },
      };
    },
  };
}

test('only one connection is closed for memory that one holds, however late its thread closes it', () => {
  const { open, served, memory, close } = connections();
  const [greedy, other, late] = [open(), open(), open()];
  greedy.connection.onUnfinished(2000, 2 * memoryBytesMax, 0);
  assert.ok(greedy.wasDestroyed());
  // Until the thread says that it is closed, its memory is in use: nothing is served, no other connection is closed.
  assert.ok(memory.isFull);
  other.request('other');
  assert.ok(!other.wasDestroyed());
  assert.deepEqual(served, []);
  greedy.connection.onClosed();
  assert.deepEqual(served, ['other']);
  // Further memory than that is too much as before.
  late.connection.onUnfinished(2000, 2 * memoryBytesMax, 0);
  assert.ok(late.wasDestroyed());
  late.connection.onClosed();
  other.connection.onClosed();
  assert.equal(memory.bytes, 0);
  assert.equal(memory.isOverrun, false);
  close();
});

test('a connection is closed for memory beyond that of one that is being closed', () => {
  const { open, memory, close } = connections();
  const [first, second, third] = [open(), open(), open()];
  first.connection.onUnfinished(2000, 2 * memoryBytesMax, 0);
  second.connection.onUnfinished(1500, 1.5 * memoryBytesMax, 0);
  third.connection.onUnfinished(400, 0.4 * memoryBytesMax, 0);
  assert.deepEqual([second.wasDestroyed(), third.wasDestroyed()], [false, false]);
  second.connection.onUnfinished(100, 1.6 * memoryBytesMax, 0);
  assert.deepEqual([second.wasDestroyed(), third.wasDestroyed()], [true, false]);
  for (const { connection } of [third, second, first]) connection.onClosed();
  assert.equal(memory.bytes, 0);
  assert.equal(memory.isOverrun, false);
  close();
});
