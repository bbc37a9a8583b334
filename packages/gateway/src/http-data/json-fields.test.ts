import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Base64Memory } from './base64-memory.ts';
import { bytesIn } from './json-fields.ts';

const memory = new Base64Memory(0);
const read = (text: unknown) => bytesIn({ fields: { v: text }, path: 'the body' }, 'v', memory);

test('base64 of any length is read, with padding or without, in both alphabets', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (given) => {
      const bytes = Buffer.from(given);
      for (const text of [
        bytes.toString('base64'),
        bytes.toString('base64url'),
        bytes.toString('base64').replaceAll('=', ''),
      ])
        assert.deepEqual(read(text), bytes);
    }),
  );
  assert.equal(read(null), null);
  assert.equal(read(undefined), null);
});

test('what is decoded stays as it is while more is decoded', () => {
  const sizes = [0, 1, 1_000, 30_000, 40_000, 70_000, 3, 1_024, 0, 65_536];
  const given = [...sizes, ...sizes, ...sizes].map((size, index) => Buffer.alloc(size, index + 1));
  const decoded = given.map((bytes) => read(bytes.toString('base64')));
  for (const [index, bytes] of given.entries()) assert.ok(bytes.equals(decoded[index]!), `${index}`);
});

test('texts are base64 if they are digits of it with at most two signs of padding', () => {
  const digits = /^[A-Za-z0-9+/_-]*={0,2}$/;
  const part = fc.constantFrom('A', 'Zm9v', '+', '/', '-', '_', '=', '==', ' ', '\n', '*', 'é', '\0', '.');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      if (digits.test(text)) assert.deepEqual(read(text), Buffer.from(text, 'base64'), text);
      else assert.throws(() => read(text), { message: 'v must be base64 or null.' }, text);
    }),
    { numRuns: 2_000 },
  );
  for (const other of [7, {}, [], true]) assert.throws(() => read(other), { status: 400 });
});
