import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidProtobuf } from '@weir/core';
import { wireLimits } from '@weir/wire/limits';
import fc from 'fast-check';
import { brokerLimits } from '../limits.ts';
import { dataPoints, pausePoint } from './metrics-data.ts';

/** MetricsData written byte by byte after the definition of OpenTelemetry, independent of our code. */
const pushed = Buffer.from(
  [
    '0a 51', // resource_metrics, 81 bytes
    '  0a 00', //  resource
    '  12 4d', // scope_metrics, 77 bytes
    '    0a 00', // scope
    '    12 34', // metrics, 52 bytes
    '      0a 03 61 2e 62', // name "a.b"
    '      1a 01 31', // unit "1"
    '      3a 2a', // sum, 42 bytes
    '        0a 24', // data_points, 36 bytes
    '          11 01 00 00 00 00 00 00 00', // start_time
    '          19 02 00 00 00 00 00 00 00', // time
    '          21 00 00 00 00 00 00 f8 3f', // as_double 1.5
    '          3a 07', // attributes
    '            0a 01 6b', // key "k"
    '            12 02 18 07', // int_value 7
    '        10 01', // delta
    '        18 01', // monotonic
    '    12 13', // metrics, 19 bytes
    '      0a 01 63', // name "c"
    '      2a 0e', // gauge
    '        0a 09', // data_points
    '          31 fe ff ff ff ff ff ff ff', // as_int -2
    '        78 96 01', // an unknown field
  ]
    .join(' ')
    .replaceAll(' ', ''),
  'hex',
);

/** A nested message of fewer than 128 bytes. */
const field = (number: number, ...parts: Buffer[]) => {
  const inner = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([(number << 3) | 2, inner.length]), inner]);
};
/** A nested message of up to 2 MiB. */
const inside = (number: number, inner: Buffer) => {
  const { length } = inner;
  const lengthBytes = [(length & 0x7f) | 0x80, ((length >> 7) & 0x7f) | 0x80, length >> 14];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...lengthBytes]), inner]);
};
const metricOf = (...parts: Buffer[]) => field(1, field(2, field(2, ...parts)));

test('numbers are read with their names and attributes', () => {
  assert.deepEqual(
    [...dataPoints(pushed)],
    [
      { name: 'a.b{k=7}', value: 1.5 },
      { name: 'c', value: -2 },
    ],
  );
  assert.deepEqual([...dataPoints(Buffer.alloc(0))], []);
});

test('a metric that is not a single number is a point without a value', () => {
  for (const kind of [9, 10, 11]) {
    const metric = metricOf(field(1, Buffer.from('h')), field(kind, field(1), field(1)));
    assert.deepEqual(
      [...dataPoints(metric)],
      Array(2).fill({ name: 'h', value: undefined }),
      `field ${kind}`,
    );
  }
});

test('the reader yields between fields, even without data points', () => {
  const unknown = Buffer.alloc(4 * wireLimits.walkedRecordsPerTurnMax, Buffer.from([0x78, 1]));
  for (const depth of [0, 1, 2, 3, 4]) {
    let pushed = unknown;
    for (const number of [1, 2, 2, 5].slice(0, depth).reverse()) pushed = inside(number, pushed);
    assert.deepEqual([...dataPoints(pushed)], [pausePoint, pausePoint], `depth ${depth}`);
  }
});

test('a point that is too large is counted and not read', () => {
  const attributes = Buffer.concat(Array(brokerLimits.telemetryPointBytesMax).fill(field(7)));
  const point = inside(1, attributes);
  const pushed = inside(1, inside(2, inside(2, inside(5, point))));
  assert.deepEqual([...dataPoints(pushed)], [{ name: '', value: undefined }]);
});

const attributes: [label: string, value: Buffer, text: string][] = [
  ['a text', field(1, Buffer.from('x')), 'x'],
  ['true', Buffer.from([0x10, 1]), 'true'],
  ['a negative number', Buffer.from([0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), '-1'],
  ['a list', field(5), '?'],
  ['nothing', Buffer.alloc(0), ''],
];
for (const [label, value, text] of attributes) {
  test(`an attribute that is ${label}`, () => {
    const point = field(1, field(7, field(1, Buffer.from('k')), field(2, value)));
    assert.deepEqual([...dataPoints(metricOf(field(5, point)))], [{ name: `{k=${text}}`, value: undefined }]);
  });
}

const broken: [label: string, hex: string, problem: RegExp][] = [
  ['a truncated field', '0a05', /truncated field/],
  ['a truncated length', '0aff', /truncated varint/],
  ['a number of too many bytes', '08ffffffffffffffffffffff01', /longer than 10 bytes/],
  ['a field 0', '0200', /invalid field tag/],
  ['a group, which is no longer used', '0b', /type 3/],
  ['a number where a message should be', '0801', /in place of a message/],
  ['a huge length', '0affffffffffffffff7f', /truncated field/],
];
for (const [label, hex, problem] of broken) {
  test(`${label} is refused`, () => {
    assert.throws(() => [...dataPoints(Buffer.from(hex, 'hex'))], problem);
  });
}

test('any input is read or refused', () => {
  const mutated = fc
    .array(fc.tuple(fc.nat(pushed.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
    .map((changes) => {
      const bytes = Buffer.from(pushed);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(fc.oneof(mutated, anything), (bytes) => {
      try {
        for (const point of dataPoints(bytes)) {
          assert.ok(point !== pausePoint);
          assert.equal(typeof point.name, 'string');
        }
      } catch (error) {
        assert.ok(error instanceof InvalidProtobuf, String(error));
      }
    }),
  );
});
