import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { agentLimits } from '../limits.ts';
import { DataBodies } from './request-body.ts';

function requestWith(body: Buffer): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.complete = true;
  request.push(body);
  request.push(null);
  return request;
}

test('other work is done before each large body, and small ones do not wait', async () => {
  const waiting: (() => void)[] = [];
  const bodies = new DataBodies(() => new Promise((resolve) => void waiting.push(resolve)));
  const seen: string[] = [];
  const send = (name: string, bytes: number) =>
    bodies.withJson(requestWith(Buffer.from(JSON.stringify(name.repeat(bytes)))), {}, async () => {
      seen.push(name);
    });
  const large = agentLimits.httpLargeBodyBytesMin;
  const done = [send('a', large), send('b', large)];
  await send('c', 1);
  assert.deepEqual(seen, ['c']);
  for (const expected of [
    ['c', 'a'],
    ['c', 'a', 'b'],
  ]) {
    assert.equal(waiting.length, 1, 'one large body at a time');
    waiting.shift()!();
    await done.shift();
    assert.deepEqual(seen, expected);
  }
});
