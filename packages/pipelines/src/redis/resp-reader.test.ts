import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RedisError, type Reply, RespReader } from './resp-reader.ts';

function repliesOf(text: string, chunkBytes: number): Reply[] {
  const replies: Reply[] = [];
  const reader = new RespReader((reply) => replies.push(reply));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  return replies;
}

test('answers are read, however they are cut', () => {
  const text = '+OK\r\n:-42\r\n$5\r\na\r\nbc\r\n$-1\r\n*-1\r\n*0\r\n*2\r\n*1\r\n$0\r\n\r\n:7\r\n-ERR no\r\n';
  const expected: Reply[] = [
    'OK',
    -42,
    Buffer.from('a\r\nbc'),
    null,
    null,
    [],
    [[Buffer.alloc(0)], 7],
    new RedisError('ERR no'),
  ];
  for (const chunkBytes of [1, 2, 3, 7, text.length]) assert.deepEqual(repliesOf(text, chunkBytes), expected);
});

test('what Redis does not send is refused', () => {
  const wrong = [
    'HTTP/1.1 400\r\n',
    '$x\r\n',
    '*99999999\r\n',
    '$999999999999\r\n',
    '*1\r\n'.repeat(20),
    `+${'x'.repeat(70_000)}`,
  ];
  for (const text of wrong) assert.throws(() => repliesOf(text, text.length), Error, text.slice(0, 20));
});
