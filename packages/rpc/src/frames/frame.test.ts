import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { rpcLimits } from '../limits.ts';
import {
  beginFrame,
  callLimits,
  decodeFrame,
  encodeBody,
  encodeFrame,
  frameOf,
  replyLimits,
} from './frame.ts';
import { FrameError, FrameTooLarge } from './frame-error.ts';
import { frameKinds } from './frame-kinds.ts';
import { FrameReader } from './frame-reader.ts';

const column = fc.oneof(
  fc.uint8Array(),
  fc.int16Array(),
  fc.uint32Array(),
  fc.int32Array(),
  fc.float64Array(),
);
// JSON has one zero.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const key = fc.oneof(fc.string(), fc.constantFrom('$', '$$', '$0', '__proto__', 'toString', '7', ''));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(column, number, fc.string({ unit: 'binary' }), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  ),
}));
const id = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const kind = fc.constantFrom(...frameKinds);

test('a decoded frame equals the encoded one, at any memory alignment', () => {
  fc.assert(
    fc.property(kind, id, value, fc.nat({ max: 9 }), (kind, id, body, shift) => {
      const encoded = encodeFrame(kind, id, body);
      const memory = new Uint8Array(encoded.length + shift);
      memory.set(encoded, shift);
      const decoded = decodeFrame(memory.subarray(shift), replyLimits);
      memory.fill(0xff);
      assert.deepStrictEqual(decoded, { kind, id, body });
    }),
  );
});

test('a frame without a body is its head', () => {
  const frame = encodeFrame('ping', 7);
  assert.equal(frame.length, 16);
  assert.deepEqual(decodeFrame(frame, callLimits), { kind: 'ping', id: 7, body: undefined });
});

test('the encoding is stable', () => {
  const frame = encodeFrame('call', 258, { a: Int16Array.of(-2), $b: 'ü' });
  const hex = Buffer.from(frame).toString('hex');
  const expected = [
    ['kind and format', '01010000'],
    ['columns', '01000000'],
    ['id', '0000000000207040'],
    ['one int16', '0100000001000000'],
    ['the column', 'feff000000000000'],
    ['the text', Buffer.from('{"a":{"$":0},"$$b":"ü"}').toString('hex')],
  ];
  assert.equal(hex, expected.map(([, bytes]) => bytes).join(''));
});

test('columns share one buffer that holds nothing else', () => {
  const body = { one: Uint8Array.of(1, 2, 3), two: [Float64Array.of(0.5)] };
  const decoded = decodeFrame(encodeFrame('result', 1, body), replyLimits).body as typeof body;
  assert.equal(decoded.one.buffer, decoded.two[0]!.buffer);
  assert.equal(decoded.one.buffer.byteLength, 16);
});

test('undefined members are dropped, as in JSON', () => {
  const body = decodeFrame(encodeFrame('result', 1, { a: undefined, b: 1 }), replyLimits).body;
  assert.deepStrictEqual(body, { b: 1 });
});

test('values that JSON would change are refused', () => {
  const cases: [name: string, body: unknown, problem: RegExp][] = [
    ['NaN', { load: Number.NaN }, /NaN cannot be sent/],
    ['infinity', [Number.POSITIVE_INFINITY], /Infinity cannot be sent/],
    ['a hole', [undefined], /a undefined cannot be sent/],
    ['a bigint', { offset: 1n }, /a bigint cannot be sent/],
    ['a function', { run() {} }, /a function cannot be sent/],
    ['a date', { at: new Date(0) }, /a Date cannot be sent/],
    ['a map', new Map(), /a Map cannot be sent/],
    ['a column of another type', { ids: new BigInt64Array(1) }, /a BigInt64Array cannot be sent/],
    ['a circle', circle(), /nested too deeply/],
  ];
  for (const [name, body, problem] of cases) {
    assert.throws(() => encodeFrame('call', 1, body), { name: 'TypeError', message: problem }, name);
  }
});

function circle(): object {
  const object: { self?: object } = {};
  object.self = object;
  return object;
}

function built({ kind = 1, format = 1, reserved = 0, columns = 0, id = 1, rest = Buffer.alloc(0) } = {}) {
  const head = Buffer.alloc(16);
  head[0] = kind;
  head[1] = format;
  head.writeUInt16LE(reserved, 2);
  head.writeUInt32LE(columns, 4);
  head.writeDoubleLE(id, 8);
  return Buffer.concat([head, rest]);
}

const oneByteColumn = Buffer.from('00000000010000000700000000000000', 'hex');

test('input that is not exactly one frame is refused', () => {
  const text = (body: string) => Buffer.from(body);
  const cases: [name: string, frame: Uint8Array, problem: RegExp][] = [
    ['nothing', new Uint8Array(0), /has no head/],
    ['half a head', built().subarray(0, 15), /has no head/],
    ['kind', built({ kind: frameKinds.length }), /unknown frame kind 11/],
    ['format', built({ format: 2 }), /unknown frame format 2; expected 1/],
    ['reserved', built({ reserved: 1 }), /reserved/],
    ['id', built({ id: 1.5 }), /id is not an integer/],
    ['negative id', built({ id: -1 }), /id is not an integer/],
    ['id that is no number', built({ id: Number.NaN }), /id is not an integer/],
    ['no table', built({ columns: 1 }), /the table of 1 columns does not fit/],
    [
      'too many columns',
      built({ columns: rpcLimits.rpcColumnsMax + 1 }),
      /131073 columns exceed the limit of 131072/,
    ],
    ['type', built({ columns: 1, rest: text('\x05\0\0\0\0\0\0\0{"$":0}') }), /unknown type/],
    ['column', built({ columns: 1, rest: text('\0\0\0\0\xff\0\0\0{"$":0}') }), /do not fit into the frame/],
    ['no body', built({ columns: 1, rest: oneByteColumn }), /columns without a body/],
    ['JSON', built({ rest: text('{"a":') }), /not JSON/],
    ['two values', built({ rest: text('{}{}') }), /not JSON/],
    ['no such column', built({ rest: text('{"$":0}') }), /missing or unordered columns/],
    ['a member beside it', built({ rest: text('{"$":0,"a":1}') }), /missing or unordered columns/],
    ['a lone marker', built({ rest: text('{"$a":0}') }), /begins with a lone \$/],
    [
      'unmentioned',
      built({ columns: 1, rest: Buffer.concat([oneByteColumn, text('{}')]) }),
      /column without a reference/,
    ],
    [
      'padding',
      built({
        columns: 1,
        rest: Buffer.concat([Buffer.from('00000000010000000701000000000000', 'hex'), text('{"$":0}')]),
      }),
      /the bytes between columns are not zero/,
    ],
    ['depth', built({ rest: text(`${'['.repeat(100_000)}"$"${']'.repeat(100_000)}`) }), /nested too deeply/],
    [
      'body',
      built({ rest: Buffer.alloc(rpcLimits.rpcCallBodyBytesMax + 1, 0x20) }),
      /^body of \d+ bytes exceeds/,
    ],
    ['frame', Buffer.alloc(rpcLimits.rpcCallBytesMax + 1), /exceeds the limit of 16777216/],
  ];
  for (const [name, frame, problem] of cases) {
    assert.throws(() => decodeFrame(frame, callLimits), { name: 'FrameError', message: problem }, name);
  }
});

test('garbage throws only a FrameError', () => {
  const refused = (bytes: Uint8Array) => {
    try {
      decodeFrame(bytes, callLimits);
    } catch (error) {
      assert.ok(error instanceof FrameError, String(error));
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), refused), { numRuns: 500 });
  // Frames with a few bytes changed, cut or added get further in.
  fc.assert(
    fc.property(kind, value, fc.nat(), (kind, body, seed) => {
      const random = seededRandom(seed);
      let bytes = Buffer.from(encodeFrame(kind, 1, body));
      for (let change = random.below(4); change >= 0; change--) {
        const at = random.below(bytes.length);
        bytes[at] = random.below(256);
        if (random.below(8) === 0) bytes = bytes.subarray(0, Math.max(1, at));
        if (random.below(8) === 0) bytes = Buffer.concat([bytes, bytes.subarray(at)]);
      }
      refused(bytes);
    }),
    { numRuns: 500 },
  );
});

test('a body is encoded once for any number of frames', () => {
  const body = { offsets: Float64Array.of(1, 2), text: 'x' };
  const encoded = encodeBody(body);
  for (const id of [1, 2]) {
    assert.deepEqual(decodeFrame(frameOf('changes', id, encoded), replyLimits), {
      kind: 'changes',
      id,
      body,
    });
  }
});

/** Reads a frame in parts. Returns it with the number of turns that others had in between. */
function readInParts(bytes: Uint8Array) {
  let read = beginFrame(bytes, callLimits);
  let turns = 0;
  while (read instanceof FrameReader) {
    turns++;
    read = read.advance() ?? read;
  }
  return { frame: read, turns };
}

test('a frame that is read in parts is the one that is read at once', () => {
  const padding = 'x'.repeat(20_000);
  fc.assert(
    fc.property(kind, id, value, (kind, id, body) => {
      const bytes = encodeFrame(kind, id, [body, padding]);
      const { frame } = readInParts(bytes);
      assert.deepStrictEqual(frame, decodeFrame(bytes, callLimits));
    }),
    { numRuns: 300 },
  );
  const short = encodeFrame('call', 1, { method: 'leave', args: [Float64Array.of(1)] });
  assert.deepStrictEqual(readInParts(short), { frame: decodeFrame(short, callLimits), turns: 0 });
});

test('long bodies are read in turns, whatever makes them long', () => {
  const count = 200_000;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const named = (prefix: string) =>
    Array.from({ length: count / rpcLimits.rpcObjectNamesMax }, (_, object) =>
      Object.fromEntries(
        numbers.slice(0, rpcLimits.rpcObjectNamesMax).map((index) => [`${prefix}${object}-${index}`, 1]),
      ),
    );
  const columns = numbers.slice(0, 50_000).map((index) => ({ ids: Float64Array.of(index), $count: index }));
  const cases: [name: string, body: unknown][] = [
    ['a list', numbers],
    ['names', named('name-')],
    ['names with a marker', named('$')],
    ['columns', columns],
  ];
  for (const [name, body] of cases) {
    const bytes = encodeFrame('call', 1, { method: 'leave', args: [body] });
    const { frame, turns } = readInParts(bytes);
    assert.deepStrictEqual(frame.body, { method: 'leave', args: [body] }, name);
    assert.ok(turns >= 8, `${name}: ${turns} turns`);
  }
});

test('long bodies that are no frame are refused, and deep ones before they are parsed', () => {
  const padding = JSON.stringify('x'.repeat(20_000));
  const cases: [name: string, rest: string, problem: RegExp][] = [
    ['JSON', `[${padding},`, /not JSON/],
    ['no such column', `[${padding},{"$":0}]`, /missing or unordered columns/],
    ['a lone marker', `[${padding},{"$a":0}]`, /begins with a lone \$/],
    ['depth', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`, /nested too deeply/],
    ['depth without an end', '{"a":'.repeat(200_000), /nested too deeply/],
  ];
  for (const [name, rest, problem] of cases) {
    const bytes = built({ rest: Buffer.from(rest) });
    assert.throws(() => readInParts(bytes), { name: 'FrameError', message: problem }, name);
    if (name.startsWith('depth')) assert.throws(() => beginFrame(bytes, callLimits), FrameError);
  }
  const names = Array.from({ length: rpcLimits.rpcObjectNamesMax + 1 }, (_, index) => `"$$${index}":1`);
  const tooMany = built({ rest: Buffer.from(`[{${names.join()}`) });
  const isTooLarge = (error: Error) =>
    error instanceof FrameTooLarge && /more than 10000 names/.test(error.message);
  assert.throws(() => readInParts(tooMany), isTooLarge);
  const unmentioned = built({
    columns: 1,
    rest: Buffer.concat([oneByteColumn, Buffer.from(`[${padding}]`)]),
  });
  assert.throws(() => readInParts(unmentioned), /column without a reference/);
});
