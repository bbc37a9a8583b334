import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { rpcLimits } from '../limits.ts';
import { ReplyMemory } from './reply-memory.ts';

function memoryAt() {
  const clock = new HandClock();
  return { clock, memory: new ReplyMemory(clock) };
}

const done = async () => ({ value: 'done' });
const never = () => assert.fail('done twice');

test('a call is executed once, and a dropped one may be executed again', async () => {
  const session = memoryAt().memory.open('vci_a', 'client');
  assert.deepEqual(await session.run(1, done), { value: 'done' });
  assert.deepEqual(await session.run(1, never), { value: 'done' });
  session.forget(1);
  assert.deepEqual(await session.run(1, async () => ({ value: 'again' })), { value: 'again' });
});

test('a connecting client retains the answers it waits for, and no others', async () => {
  const { memory } = memoryAt();
  const session = memory.open('vci_a', 'client');
  for (const callId of [1, 2, 3]) await session.run(callId, done);
  const again = memory.open('vci_a', 'client');
  assert.equal(again, session);
  again.keepOnly(Float64Array.of(2, 9));
  assert.equal(again.size, 1);
  await again.run(2, never);
});

test('clients of different clusters are separate, even with equal ids', () => {
  const { memory } = memoryAt();
  assert.notEqual(memory.open('vci_a', 'client'), memory.open('vci_b', 'client'));
  assert.notEqual(memory.open('vci_a', 'b/c'), memory.open('vci_a/b', 'c'));
});

test('answers per client and clients without a connection are limited', async () => {
  const { memory, clock } = memoryAt();
  const session = memory.open('vci_a', 'client');
  for (let callId = 0; callId < rpcLimits.rpcRememberedRepliesMax + 10; callId++)
    await session.run(callId, done);
  assert.equal(session.size, rpcLimits.rpcRememberedRepliesMax);

  const connected = memory.open('vci_a', 'connected');
  connected.supersede = () => {};
  for (let other = 0; other < rpcLimits.rpcRememberedClientsMax; other++)
    memory.open('vci_a', `client ${other}`);
  assert.notEqual(memory.open('vci_a', 'client'), session, 'the client that was away the longest is evicted');
  assert.equal(memory.open('vci_a', 'connected'), connected);

  const away = memory.open('vci_a', 'away');
  clock.advance(299_000);
  assert.equal(memory.open('vci_a', 'away'), away);
  clock.advance(301_000);
  memory.open('vci_a', 'another');
  assert.notEqual(memory.open('vci_a', 'away'), away);
});
