import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics, nextTurn, silentLog, systemClock } from '@weir/core';
import { requireShortTurns } from '@weir/core/testing';
import type { Channel, ChannelListener } from '../channel/channel.ts';
import type { ClientHello } from '../frames/bodies.ts';
import { decodeFrame, encodeFrame, replyLimits } from '../frames/frame.ts';
import { ReplyMemory } from './reply-memory.ts';
import { serveConnection } from './serve-connection.ts';

const hello: ClientHello = { release: 'v830', clientId: 'c', pending: new Float64Array() };

const listed = (count: number, of: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => of(index)).join();

/** Sends a frame behind a hello, and returns what the control plane does with it. */
async function answerTo(frame: Uint8Array): Promise<string> {
  return (await answersTo(frame))[0]!.kind;
}

async function answersTo(frame: Uint8Array): Promise<readonly { kind: string; byteCount: number }[]> {
  let listener: ChannelListener | undefined;
  const answers: { kind: string; byteCount: number }[] = [];
  const channel: Channel = {
    send: (bytes) =>
      void answers.push({ kind: decodeFrame(bytes, replyLimits).kind, byteCount: bytes.length }),
    unsentBytes: () => 0,
    receivedBytes: () => 0,
    listen(given) {
      listener = given;
    },
    pause() {},
    resume() {},
    close: (_code, reason) => void answers.push({ kind: reason, byteCount: 0 }),
    abort() {},
  };
  const connection = serveConnection(channel, {
    clusterId: 'vci_test',
    cluster: () => undefined,
    members: () => [],
    memory: new ReplyMemory(systemClock),
    clock: systemClock,
    metrics: new Metrics(),
    log: silentLog,
  });
  answers.length = 0;
  listener!.onFrame(encodeFrame('hello', 0, hello));
  listener!.onFrame(frame);
  while (answers.length === 0) await nextTurn(systemClock);
  connection.close(1000, '');
  return answers;
}

test('no frame of an agent occupies the thread', async () => {
  const cases: [what: string, args: string, answer: string][] = [
    ['names of one object', `[{${listed(200_000, (index) => `"n${index}":1`)}}]`, 'failure'],
    ['names with a marker', `[{${listed(200_000, (index) => `"$$${index}":1`)}}]`, 'failure'],
    [
      'objects with marked names',
      `[${listed(20, (object) => `{${listed(9_000, (name) => `"$$${object}_${name}":1`)}}`)}]`,
      'failure',
    ],
    ['nesting', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, 'body is nested too deeply'],
    ['values', `[${'1,'.repeat(1_000_000)}1]`, 'failure'],
    ['entries', `[[${listed(300_000, (index) => `"g${index}"`)}]]`, 'failure'],
  ];
  for (const [what, args, expected] of cases) {
    const head = encodeFrame('call', 1).subarray(0, 16);
    const frame = Buffer.concat([head, Buffer.from(`{"method":"describeGroups","args":${args}}`)]);
    assert.equal(await requireShortTurns(() => answerTo(frame), { what }), expected, what);
  }
});

test('an unknown call is refused with the beginning of its name', async () => {
  const [answer] = await answersTo(encodeFrame('call', 1, { method: 'x'.repeat(1_000_000), args: [] }));
  assert.equal(answer!.kind, 'failure');
  assert.ok(answer!.byteCount < 1_000, `${answer!.byteCount} bytes`);
});
