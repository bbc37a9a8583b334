import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { MiB } from '@weir/core';
import { requireShortTurns } from '@weir/core/testing';
import { FairShare } from '@weir/http';
import { registryLimits } from '@weir/registry';
import { listenAsRegistry } from '../../testing/scripted-registry.ts';
import { gatewayLimits } from '../limits.ts';

const basic = (user: string, password = 'secret') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** Sends text as it is, and returns all that comes back until the connection ends. */
async function raw(port: number, ...texts: string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const text of texts) socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

test('one client takes at most half of what is shared', () => {
  const share = new FairShare(10);
  assert.deepEqual(
    [share.take('a', 5), share.take('a', 1), share.take('b', 4), share.take('c', 2), share.take('c', 1)],
    [true, false, true, false, true],
  );
  share.giveBack('a', 5);
  assert.equal(share.take('a', 1), true);
});

test('requests of one client leave places to others', async (t) => {
  const { ask, answers, callers } = await listenAsRegistry(t);
  const { promise: gate, resolve: open } = Promise.withResolvers<object>();
  const places = gatewayLimits.registryRequestsMax / 2;
  const { promise: allRun, resolve: onAllRun } = Promise.withResolvers<void>();
  answers.version = () => {
    if (callers.length === places) onAllRun();
    return gate;
  };
  const held = Array.from({ length: places }, () =>
    ask('/subjects/s/versions/1', { headers: basic('mallory') }),
  );
  await allRun;
  const refused = await ask('/subjects/s/versions/1', { headers: basic('mallory') });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [503, '1']);
  assert.equal((await ask('/subjects', { headers: basic('ann') })).status, 204);
  open({});
  for (const { status } of await Promise.all(held)) assert.equal(status, 200);
  assert.equal((await ask('/subjects/s/versions/1', { headers: basic('mallory') })).status, 200);
});

test('bodies count until their requests have ended, and one client has half of their memory', async (t) => {
  const { ask, answers } = await listenAsRegistry(t);
  const { promise: gate, resolve: open } = Promise.withResolvers<object>();
  const count = gatewayLimits.registryBodiesBytesMax / 2 / MiB;
  const { promise: allRun, resolve: onAllRun } = Promise.withResolvers<void>();
  let running = 0;
  answers.lookUpSchema = () => {
    if (++running === count) onAllRun();
    return gate;
  };
  const body = `{"schema":"${'x'.repeat(MiB - 20)}"}`;
  const send = (user: string) => ask('/subjects/s', { method: 'POST', body, headers: basic(user) });
  const held = Array.from({ length: count }, () => send('mallory'));
  await allRun;
  assert.equal((await send('mallory')).status, 503);
  answers.lookUpSchema = () => ({});
  assert.equal((await send('ann')).status, 200);
  open({});
  for (const { status } of await Promise.all(held)) assert.equal(status, 200);
  assert.equal((await send('mallory')).status, 200);
});

test('long answers that are not read leave memory to others', async (t) => {
  const { ask, answers, listener } = await listenAsRegistry(t);
  // More than the kernel takes off our hands.
  answers.schemaTextById = () => 'x'.repeat(16 * MiB);
  const sockets: Socket[] = [];
  const firstBytes = () =>
    new Promise<string>((resolve) => {
      const socket = connect(listener.port, '127.0.0.1');
      sockets.push(socket);
      socket.write('GET /schemas/ids/1/schema HTTP/1.1\r\nhost: a\r\n\r\n');
      socket.once('data', (chunk: Buffer) => {
        socket.pause();
        resolve(chunk.toString('latin1', 9, 12));
      });
    });
  const fitting = gatewayLimits.registryAnswersBytesMax / 2 / (16 * MiB);
  for (let count = 0; count < fitting; count++) assert.equal(await firstBytes(), '200');
  assert.equal(await firstBytes(), '503');
  assert.equal((await ask('/schemas/ids/1/schema', { headers: basic('ann') })).status, 200);
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  // The server learns of it a moment later.
  while ((await ask('/schemas/ids/1/schema')).status !== 200);
});

test('a body is asked for after the login, and not if it is too large', async (t) => {
  const { listener, answers } = await listenAsRegistry(t, { requiresLogin: true });
  answers.lookUpSchema = () => ({});
  const head = (length: number, login: string) =>
    `POST /subjects/s HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${login}expect: 100-continue\r\n` +
    `content-length: ${length}\r\n\r\n`;
  const login = `authorization: ${basic('ann').authorization}\r\n`;
  assert.match(await raw(listener.port, head(2, '')), /^HTTP\/1.1 401 /);
  assert.match(
    await raw(listener.port, head(registryLimits.registryRequestBytesMax + 1, login)),
    /^HTTP\/1.1 413 /,
  );
  assert.match(
    await raw(listener.port, head(2, login), '{}'),
    /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
  );
  assert.match(
    await raw(listener.port, 'GET / HTTP/1.1\r\nhost: a\r\nexpect: tea\r\n\r\n'),
    /^HTTP\/1.1 417 .*x-content-type-options: nosniff/is,
  );
});

test('a body without a length is refused when it is too large', async (t) => {
  const { listener, calls } = await listenAsRegistry(t);
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const head = 'POST /subjects/s HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
  const answer = await raw(listener.port, head, chunk.repeat(16), '1\r\nx\r\n');
  assert.match(answer, /^HTTP\/1.1 413 /);
  assert.deepEqual(calls, []);
});

test('requests that are sent together are answered in order', async (t) => {
  const { listener, answers } = await listenAsRegistry(t);
  answers.schemaTextById = async (id) => {
    // The first is the last to be done.
    for (let turn = Number(id); turn < 50; turn++) await Promise.resolve();
    return `text ${id}`;
  };
  const get = (id: number, more = '') => `GET /schemas/ids/${id}/schema HTTP/1.1\r\nhost: a\r\n${more}\r\n`;
  const answer = await raw(listener.port, `${get(1)}${get(20)}${get(40, 'connection: close\r\n')}`);
  assert.deepEqual(answer.match(/text \d+/g), ['text 1', 'text 20', 'text 40']);
});

test('no part of a path gets into headers, and errors quote it as JSON', async (t) => {
  const { ask, answers } = await listenAsRegistry(t);
  answers.version = (subject) => {
    throw new RangeError(`no ${String(subject)} in /srv/secret`);
  };
  const broken = await ask('/subjects/a%0d%0aset-cookie:x%00/versions/1');
  assert.deepEqual([broken.status, broken.headers['set-cookie']], [500, undefined]);
  assert.doesNotMatch(broken.text, /secret/);
  const other = await ask('/a%0d%0aset-cookie:x', { method: 'OPTIONS' });
  assert.deepEqual([other.status, other.headers['set-cookie']], [404, undefined]);
});

test('no body of a request occupies the thread', async (t) => {
  const { ask, answers } = await listenAsRegistry(t);
  answers.lookUpSchema = () => ({});
  const listed = (count: number, of: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => of(index)).join();
  const bodies: [what: string, body: string, status: number][] = [
    ['names', `{${listed(60_000, (index) => `"n${index}":1`)}}`, 200],
    ['nesting', `{"schema":${'['.repeat(900_000)}`, 400],
    [
      'references',
      `{"schema":"{}","references":[${listed(20_000, (index) => `{"name":"n${index}"}`)}]}`,
      200,
    ],
    ['values', `{"schema":"{}","references":[${listed(400_000, () => '1')}]}`, 413],
    ['a long text', `{"schema":"${'\\"'.repeat(400_000)}"}`, 200],
  ];
  for (const [what, body, expected] of bodies) {
    const sent = { method: 'POST', body, headers: basic('mallory') };
    const { status } = await requireShortTurns(() => ask('/subjects/s', sent), { what });
    assert.equal(status, expected, what);
  }
});

test('headers, parameters and nesting beyond their limits are refused', async (t) => {
  const { listener, ask, calls } = await listenAsRegistry(t);
  const many = 'x: y\r\n'.repeat(5_000);
  assert.match(await raw(listener.port, `GET / HTTP/1.1\r\nhost: a\r\n${many}\r\n`), /^HTTP\/1.1 431 /);
  const keys = 'key=k&'.repeat(gatewayLimits.registryListedParametersMax + 1);
  const { status, text } = await ask(`/subjects/s/metadata?${keys}`);
  assert.equal(status, 400);
  assert.match(text, /The parameter key may be repeated 100 times at most/);
  const smuggled =
    'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n';
  assert.match(await raw(listener.port, smuggled), /^HTTP\/1.1 400 /);
  assert.deepEqual(calls, []);
});
