import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pause } from '@weir/core/testing';
import { RemoteConnection } from './remote-connection.ts';
import { KnownMemory } from './shared-memory.ts';

test('memory is known from its announcement until it is forgotten or was used once', () => {
  const memory = new KnownMemory();
  memory.announced({ kind: 'memory', id: 1, memory: new SharedArrayBuffer(8), isOnce: false });
  memory.announced({ kind: 'memory', id: 2, memory: new ArrayBuffer(8), isOnce: true });
  assert.equal(memory.slice(1, 2, 3)?.length, 3);
  assert.equal(memory.slice(2, 0, 8)?.length, 8);
  assert.equal(memory.slice(2, 0, 8), undefined);
  memory.announced({ kind: 'forget', id: 1 });
  assert.equal(memory.slice(1, 2, 3), undefined);
});

test('the memory of an answer is not collected before the answer was sent', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const connection = new RemoteConnection(1, { write() {}, send: () => () => {} }).withLimit(() => 100);
  // Made in a function of its own, so that nothing else refers to it.
  const push = () => {
    const memory = new SharedArrayBuffer(8);
    connection.outbox.push([Buffer.from(memory)]);
    return new WeakRef(memory);
  };
  const memory = push();
  await pause();
  collect();
  assert.notEqual(memory.deref(), undefined);
  connection.onSent(8);
  assert.equal(connection.outbox.queuedBytes, 0);
});
