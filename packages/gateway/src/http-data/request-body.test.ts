import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { compress } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import { DataBodies, inflateSnappy } from './request-body.ts';

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
  const large = gatewayLimits.httpLargeBodyBytesMin;
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

test('a body of many names is parsed in turns, however large it is', async () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `"n${index}":${index}`).join(',');
  const text = `{${names}}`;
  assert.ok(text.length > gatewayLimits.httpLargeBodyBytesMin);
  let turns = 0;
  const bodies = new DataBodies(async () => {
    turns++;
  });
  const body = await bodies.withJson(requestWith(Buffer.from(text)), {}, async (found) => found);
  assert.deepEqual(body, JSON.parse(text));
  assert.ok(turns >= 6, `${turns} turns`);
});

test('a body that is not admitted is neither inflated nor parsed', async () => {
  const bodies = new DataBodies(async () => undefined);
  const refusal = new Error('no right');
  const request = requestWith(Buffer.from('no gzip'));
  request.headers['content-encoding'] = 'gzip';
  const admit = () => {
    throw refusal;
  };
  await assert.rejects(
    bodies.withJson(request, { admit }, async () => undefined),
    refusal,
  );
});

test('blocks of snappy are inflated up to a size, and damaged ones refused', async () => {
  const body = Buffer.from('twelve bytes');
  const block = compress('snappy', body, { snappyFraming: 'raw' });
  assert.deepEqual(await inflateSnappy(block, 12), body);
  assert.equal(await inflateSnappy(block, 11), undefined);
  await assert.rejects(inflateSnappy(block.subarray(0, -3), 12));
});
