import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payloadOf } from './failed-payload.ts';

test('payloads are text, or hexadecimal if they are none', () => {
  const part = (bytes: Uint8Array, size = bytes.length) => ({
    base64: Buffer.from(bytes).toString('base64'),
    bytes: size,
  });
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const cases = [
    [part(utf8('{"a":"é"}')), { text: '{"a":"é"}', isHex: false, isCut: false }],
    [part(utf8('aé').slice(0, 2), 3), { text: 'a', isHex: false, isCut: true }],
    [part(Uint8Array.of(0xff, 0x0a)), { text: 'ff 0a', isHex: true, isCut: false }],
    [part(new Uint8Array()), { text: '', isHex: false, isCut: false }],
    [null, null],
  ] as const;
  for (const [given, payload] of cases) assert.deepEqual(payloadOf(given), payload);
});
