import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brokerLimits } from '../limits.ts';
import { type Answer, type AnswerHead, AnswerReader } from './answer-reader.ts';
import { PeerFailure } from './peer-failure.ts';

/** Feeds bytes as a socket does: at most what the reader has room for, in the sizes of `pieces`. */
function feed(
  reader: AnswerReader,
  bytes: Buffer,
  pieces: readonly number[] = [],
): { answer: Answer | undefined; information: number; heads: AnswerHead[] } {
  const heads: AnswerHead[] = [];
  let information = 0;
  let answer: Answer | undefined;
  reader.expect({
    onInformation: () => {
      information++;
    },
    onHead: (head) => heads.push(head),
  });
  for (let at = 0, round = 0; at < bytes.length; round++) {
    const room = reader.buffer();
    const taken = bytes.copy(room, 0, at, at + (pieces[round % pieces.length] ?? room.length));
    at += taken;
    assert.equal(answer, undefined, 'nothing follows the answer');
    answer = reader.take(taken);
  }
  return { answer, information, heads };
}

function answerOf(status: string, headers: Readonly<Record<string, string>>, body: Buffer): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`), body]);
}

test('answers do not depend on how their bytes are cut, one after the other on a connection', () => {
  const bodies = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(bodies, fc.nat(2), fc.constantFrom('200 OK', '404 Not Found')), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }),
      (answers, pieces) => {
        const reader = new AnswerReader();
        for (const [body, processing, status] of answers) {
          const before = Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(processing));
          const bytes = answerOf(status, { 'Content-Length': `${body.length}`, 'X-Other': 'a: b' }, body);
          const read = feed(reader, Buffer.concat([before, bytes]), pieces);
          assert.equal(read.information, processing);
          assert.deepEqual(read.answer, { status: Number.parseInt(status, 10), body, isReusable: true });
          assert.equal(read.heads.length, status === '200 OK' ? 1 : 0);
          assert.equal(read.heads[0]?.headers.get('x-other') ?? 'a: b', 'a: b');
        }
      },
    ),
  );
});

test('the body is written to its final memory', () => {
  const reader = new AnswerReader();
  const body = Buffer.alloc(1_000_000, 7);
  const { answer } = feed(reader, answerOf('200 OK', { 'content-length': '1000000' }, body));
  assert.ok(answer!.body.equals(body));
  const again = feed(reader, answerOf('200 OK', { 'content-length': '3' }, Buffer.from('new')));
  assert.equal(String(again.answer!.body), 'new');
  assert.ok(answer!.body.equals(body), 'the next answer does not change it');
});

test('answers that end the connection', () => {
  const cases: [what: string, bytes: Buffer, answer: string][] = [
    [
      'an answer with connection: close',
      answerOf('200 OK', { 'content-length': '0', connection: 'close' }, Buffer.alloc(0)),
      '200  false',
    ],
    ['a refusal without a length', answerOf('500 Oh', {}, Buffer.alloc(0)), '500  false'],
    ['a long refusal', answerOf('500 Oh', { 'content-length': '1025' }, Buffer.from('x')), '500  false'],
    [
      'a refusal in chunks',
      answerOf('500 Oh', { 'content-length': '3', 'transfer-encoding': 'chunked' }, Buffer.alloc(0)),
      '500  false',
    ],
    [
      'a short refusal does not end it',
      answerOf('503 Busy', { 'content-length': '4' }, Buffer.from('busy')),
      '503 busy true',
    ],
  ];
  for (const [what, bytes, expected] of cases) {
    const { answer } = feed(new AnswerReader(), bytes);
    assert.equal(`${answer?.status} ${answer?.body} ${answer?.isReusable}`, expected, what);
  }
});

test('invalid answers', () => {
  const cases: [what: string, bytes: string, problem: RegExp][] = [
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', /does not speak HTTP/],
    ['an older HTTP', 'HTTP/1.0 200 OK\r\n\r\n', /does not speak HTTP/],
    ['no status', 'HTTP/1.1 2000 OK\r\n\r\n', /does not speak HTTP/],
    ['an invalid header', 'HTTP/1.1 200 OK\r\nhello\r\n\r\n', /without a colon/],
    [
      'endless headers',
      `HTTP/1.1 200 OK\r\n${'x'.repeat(brokerLimits.peerAnswerHeadBytesMax)}`,
      /bytes of headers/,
    ],
    [
      'more bytes than its content-length',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab',
      /more bytes than Content-Length/,
    ],
  ];
  for (const [what, bytes, problem] of cases) {
    assert.throws(
      () => feed(new AnswerReader(), Buffer.from(bytes)),
      (error) => {
        assert.ok(error instanceof PeerFailure && error.reason === 'broken', what);
        assert.match(error.message, problem, what);
        return true;
      },
    );
  }
  const idle = new AnswerReader();
  assert.throws(
    () => idle.take(idle.buffer().write('HTTP/1.1 200 OK')),
    /unexpected response without a request/,
  );
});
