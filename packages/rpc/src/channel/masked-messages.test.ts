import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MaskedMessages } from './masked-messages.ts';

const bytesMax = 300;

/** A frame as a client sends it. */
function frameOf(first: number, content: Buffer, mask: Buffer | undefined): Buffer {
  const { length } = content;
  const maskBit = mask === undefined ? 0 : 0x80;
  const head =
    length < 126
      ? Buffer.from([first, maskBit | length])
      : length < 65_536
        ? Buffer.from([first, maskBit | 126, length >> 8, length & 255])
        : Buffer.from([first, maskBit | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 255, length & 255]);
  const masked = content.map((byte, index) => byte ^ (mask?.[index % 4] ?? 0));
  return Buffer.concat([head, mask ?? Buffer.alloc(0), masked]);
}

/** What a splitter makes of a stream: messages, and other bytes that belong together. */
function split(chunks: readonly Buffer[], isOver = () => false) {
  const found: { readonly kind: 'message' | 'other'; bytes: Buffer }[] = [];
  const add = (kind: 'message' | 'other', bytes: Buffer) => {
    const last = found.at(-1);
    if (kind === 'other' && last?.kind === 'other') last.bytes = Buffer.concat([last.bytes, bytes]);
    else found.push({ kind, bytes: Buffer.from(bytes) });
  };
  const messages = new MaskedMessages({
    onMessage: (bytes) => add('message', bytes),
    onOther: (bytes) => add('other', bytes),
    isOver,
    bytesMax,
  });
  for (const chunk of chunks) {
    const memory = Buffer.from(chunk);
    messages.push(memory);
    memory.fill(0xee);
  }
  return found;
}

const binary = 0x82;
const mask = Buffer.from([1, 2, 3, 4]);
const content = (size: number) => Buffer.from(Array.from({ length: size }, (_, index) => index * 7));

test('whole binary messages are unmasked, and all else is left to others as it is', () => {
  for (const size of [0, 1, 3, 4, 125, 126, bytesMax]) {
    for (const one of [mask, Buffer.alloc(4)]) {
      const frame = frameOf(binary, content(size), one);
      const expected = [{ kind: 'message', bytes: content(size) }];
      assert.deepEqual(split([frame]), expected, `${size}`);
      assert.deepEqual(split([Buffer.concat([frame, frame])]), [...expected, ...expected]);
    }
  }
  const others = [
    frameOf(binary, content(bytesMax + 1), mask),
    frameOf(binary, content(70_000), mask),
    frameOf(binary, content(9), undefined),
    frameOf(0x81, content(9), mask),
    frameOf(0x02, content(9), mask),
    frameOf(0x80, content(9), mask),
    frameOf(0x88, content(2), mask),
    frameOf(0x89, content(0), mask),
    frameOf(0xc2, content(9), mask),
  ];
  const message = frameOf(binary, content(5), mask);
  for (const other of others) {
    const found = split([Buffer.concat([message, other, message])]);
    assert.deepEqual(found, [
      { kind: 'message', bytes: content(5) },
      { kind: 'other', bytes: other },
      { kind: 'message', bytes: content(5) },
    ]);
  }
});

test('after the end everything is left to others', () => {
  const frame = frameOf(binary, content(5), mask);
  assert.deepEqual(
    split([frame, frame], () => true),
    [{ kind: 'other', bytes: Buffer.concat([frame, frame]) }],
  );
});

test('however the stream is cut, no byte is lost, doubled or out of order', () => {
  const frames = fc.array(
    fc.record({
      first: fc.constantFrom(binary, binary, binary, 0x81, 0x02, 0x80, 0x89),
      size: fc.integer({ min: 0, max: 400 }),
      key: fc.uint8Array({ minLength: 4, maxLength: 4 }),
    }),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(frames, fc.array(fc.nat({ max: 6_000 })), (list, cuts) => {
      const encoded = list.map(({ first, size, key }) => frameOf(first, content(size), Buffer.from(key)));
      const stream = Buffer.concat(encoded);
      const places = [0, ...cuts.filter((cut) => cut < stream.length).sort((a, b) => a - b), stream.length];
      const chunks = places.slice(1).map((end, index) => stream.subarray(places[index]!, end));
      const rest = [...list.keys()];
      let pending = Buffer.alloc(0);
      for (const { kind, bytes } of split(chunks)) {
        if (kind === 'message') {
          assert.equal(pending.length, 0, 'a message within a frame');
          const { first, size } = list[rest.shift()!]!;
          assert.equal(first, binary);
          assert.deepEqual(bytes, content(size));
          continue;
        }
        pending = Buffer.concat([pending, bytes]);
        while (rest.length > 0 && pending.length >= encoded[rest[0]!]!.length) {
          const frame = encoded[rest.shift()!]!;
          assert.deepEqual(pending.subarray(0, frame.length), frame);
          pending = pending.subarray(frame.length);
        }
      }
      assert.deepEqual([pending.length, rest.length], [0, 0]);
    }),
  );
});
