import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpProtocolError } from '@weir/http/client';
import fc from 'fast-check';
import { ResponseReader } from './response-reader.ts';

function read(text: string, { method = 'GET', bodyBytesMax = 100, cuts = [] as readonly number[] } = {}) {
  const reader = new ResponseReader({ method, bodyBytesMax });
  const bytes = Buffer.from(text, 'latin1');
  let at = 0;
  for (const cut of [...cuts, bytes.length]) {
    reader.push(bytes.subarray(at, cut));
    at = cut;
  }
  return reader;
}

const plain = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: "x"\r\n\r\nhello';
const chunked =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n1;x=y\r\n!\r\n0\r\nt: 1\r\n\r\n';
const continued = `HTTP/1.1 100 Continue\r\n\r\n${plain}`;
const empty = 'HTTP/1.1 204 No Content\r\n\r\n';

const responses: readonly [name: string, text: string, status: number, body: string][] = [
  ['with a length', plain, 200, 'hello'],
  ['in chunks', chunked, 200, 'hello!'],
  ['behind a 100', continued, 200, 'hello'],
  ['without a body', empty, 204, ''],
  ['of no bytes', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 200, ''],
  ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n', 200, ''],
];

for (const [name, text, status, body] of responses) {
  test(`reads a response ${name}, wherever it is split`, () => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length)), (cuts) => {
        const reader = read(text, { cuts: cuts.sort((a, b) => a - b) });
        assert.equal(reader.response?.status, status);
        assert.equal(String(reader.response?.body), body);
        assert.equal(reader.isReusable, true);
      }),
    );
  });
}

test('a response is not complete before its last byte', () => {
  for (const text of [plain, chunked, continued, empty]) {
    for (let length = 0; length < text.length; length++) {
      assert.equal(read(text.slice(0, length)).response, undefined, `${length} bytes`);
    }
  }
});

test('a body in chunks of a byte is one buffer, and not one for each of them', (t) => {
  const concat = t.mock.method(Buffer, 'concat');
  const byteCount = 10_000;
  const reader = new ResponseReader({ method: 'GET', bodyBytesMax: byteCount });
  reader.push(Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'));
  for (let at = 0; at < byteCount; at++) reader.push(Buffer.from('1\r\nx\r\n'));
  reader.push(Buffer.from('0\r\n\r\n'));
  assert.equal(String(reader.response?.body), 'x'.repeat(byteCount));
  assert.ok(concat.mock.calls.every(({ arguments: [list] }) => list.length <= 2));
});

test('a response to HEAD has no body, whatever its length header', () => {
  const reader = read('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n', { method: 'HEAD' });
  assert.equal(reader.response?.headers.get('content-length'), '500');
});

test('without a length the end of the connection is the end of the body', () => {
  const reader = read('HTTP/1.1 200 OK\r\n\r\nhello');
  const before = reader.response;
  reader.end();
  assert.deepEqual(
    [before, reader.response].map((response) => response?.body.toString()),
    [undefined, 'hello'],
  );
  assert.equal(reader.isReusable, false);
});

test('connections that will be closed, or that have extra bytes, are not reused', () => {
  assert.equal(read(plain.replace('ETag: "x"', 'Connection: close')).isReusable, false);
  assert.equal(read(plain.replace('1.1', '1.0')).isReusable, false);
  assert.equal(read(`${plain}HTTP/1.1 200 OK`).isReusable, false);
});

const refused: readonly [name: string, text: string][] = [
  ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nx\r\n\r\n'],
  ['an invalid length', 'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n'],
  ['a body above the limit', 'HTTP/1.1 200 OK\r\ncontent-length: 101\r\n\r\n'],
  [
    'chunks above the limit',
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n65\r\n${'x'.repeat(101)}\r\n`,
  ],
  ['an unknown encoding', 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n'],
  ['a chunk without its size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n'],
  ['a chunk that does not end', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxyz'],
  ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}`],
];

for (const [name, text] of refused) {
  test(`rejects ${name}`, () => {
    assert.throws(() => read(text), HttpProtocolError);
  });
}
