import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compilePattern } from '@weir/cluster';
import fc from 'fast-check';
import { flagRows } from '../flags/catalogue.ts';
import type { ValueType } from './value-type.ts';

const record = <Value>(fields: { [Key in keyof Value]: fc.Arbitrary<Value[Key]> }) =>
  fc.record<Value>(fields, { noNullPrototype: true });
/** Rows have different limits; generated numbers that a row rejects are skipped. */
const inEveryRange = fc.integer({ min: 100, max: 10_000 });
const lowercase = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const line = fc.stringMatching(/^[^\p{Cc}]+$/u);
const printable = fc.stringMatching(/^[!-~]{1,20}$/);
const bucket = fc
  .tuple(fc.constantFrom('s3', 'gs', 'azblob', 'mem'), lowercase, fc.option(lowercase, { nil: undefined }))
  .map(([scheme, name, prefix]) => ({
    scheme,
    url: `${scheme}://${name}${prefix === undefined ? '' : `?prefix=${prefix}`}`,
    prefix: prefix ?? '',
  }));
const cidr = fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, bits]) => `${address}/${bits}`);
const mappingPattern = fc
  .stringMatching(/^(?:[a-zA-Z0-9 =.*$,]|\\\/)*$/)
  .filter((text) => compilePattern(text).problem === undefined);
const mappingReplacement = fc.stringMatching(/^(?:[a-zA-Z0-9 =.*,]|\\[$/])*$/);

const port = fc.integer({ min: 1, max: 65_535 });

/** One generator per value type. Types with a range or an enumeration take their values from what the row allows. */
const generators: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'auto or int': fc.oneof(fc.constant('auto'), fc.integer({ min: 1, max: 64 })),
  'bucket URL': fc.oneof(
    bucket.map((one) => ({ wrapper: 'none', buckets: [one] })),
    record({
      wrapper: fc.constantFrom('multi', 'stripe'),
      buckets: fc.uniqueArray(bucket, { selector: ({ url }) => url, minLength: 2, maxLength: 32 }),
    }),
  ),
  'bytes per second': fc.integer({ min: 1 }),
  'cluster id': fc.uuid().map((uuid) => `vci_${uuid.replaceAll('-', '_')}`),
  'database URL': fc.webUrl().map((url) => url.replace(/^https?/, 'postgres')),
  'header key': line.filter((key) => !key.startsWith('_ws')),
  'hex byte': fc.integer({ min: 0xe0, max: 0xef }),
  'principal mapping rules': fc.array(
    fc.oneof(
      fc.constant({ kind: 'default' }),
      record({
        kind: fc.constant('rule'),
        pattern: mappingPattern,
        replacement: mappingReplacement,
        letterCase: fc.constantFrom('', 'L', 'U'),
      }),
    ),
    { minLength: 1 },
  ),
  ARN: fc.stringMatching(/^[\w+=,.@-]{1,64}$/).map((role) => `arn:aws:iam::123456789012:role/${role}`),
  CIDR: fc.tuple(fc.ipV4(), fc.nat(32)).map(([address, bits]) => `${address}/${bits}`),
  'zoned CIDR blocks': fc.uniqueArray(
    record({ zone: lowercase, cidrs: fc.array(cidr, { minLength: 1, maxLength: 4 }) }),
    { selector: ({ zone }) => zone },
  ),
  'HTTP headers': fc.uniqueArray(
    record({ name: lowercase, value: fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/) }),
    { selector: ({ name }) => name, minLength: 1 },
  ),
  'IP address': fc.oneof(fc.ipV4(), fc.ipV6()),
  URL: fc.webUrl().filter((url) => !url.includes(',')),
  bool: fc.boolean(),
  broker: fc.oneof(record({ host: fc.oneof(fc.domain(), fc.ipV6()) }), record({ host: fc.ipV6(), port })),
  bytes: fc.integer({ min: 1024 * 1024, max: 128 * 1024 * 1024 }),
  configs: fc.uniqueArray(record({ name: lowercase, value: fc.stringMatching(/^[a-z0-9,]*$/) }), {
    selector: ({ name }) => name,
  }),
  duration: fc.oneof(
    inEveryRange,
    // Rows that count in minutes, or in hours.
    fc.integer({ min: 10_000, max: 60_000 }),
    fc.integer({ min: 60_000, max: 86_400_000 }),
    fc.integer({ min: 25, max: Number.MAX_SAFE_INTEGER }),
  ),
  float: fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
  host: fc.domain(),
  int: fc.oneof(inEveryRange, fc.integer({ min: 1 }), fc.integer({ min: 1, max: 10 })),
  offset: fc.oneof(fc.nat(), fc.constantFrom('earliest', 'latest')),
  'offset or time': fc.oneof(
    record({ offset: fc.nat() }),
    record({ timestampMs: fc.integer({ min: 100_000_000_000, max: Date.UTC(9999, 11, 30) }) }),
    record({
      offsets: fc.uniqueArray(record({ partition: fc.nat(999_999_999), offset: fc.nat() }), {
        selector: ({ partition }) => partition,
        minLength: 1,
      }),
    }),
  ),
  percent: fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0),
  port: fc.nat(65_535),
  principal: printable.filter((name) => !name.includes(',')).map((name) => `User:${name}`),
  property: record({ name: lowercase, value: line }),
  quotas: fc.uniqueArray(
    record({
      name: fc.constantFrom('producer_byte_rate', 'request_percentage', 'connection_creation_rate'),
      value: fc.option(fc.integer({ min: 1 })),
    }),
    { selector: ({ name }) => name, minLength: 1 },
  ),
  reference: record({
    name: lowercase,
    subject: lowercase,
    version: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  }),
  region: lowercase,
  'region groups': fc.uniqueArray(
    record({ name: lowercase, regions: fc.uniqueArray(lowercase, { minLength: 2, maxLength: 4 }) }),
    { selector: ({ name }) => name },
  ),
  'target host': fc.constantFrom(
    'public',
    'loopback',
    'a.example',
    '*.a.example:443',
    '10.0.0.0/8',
    '[::1]:80',
  ),
  time: fc.nat(Date.UTC(9999, 11, 30)),
  'time span': fc.nat(),
  variable: lowercase.map((text) => `X_${text.replaceAll('-', '_')}`),
  version: fc.oneof(fc.constant('latest'), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
  zone: lowercase,
};

function generatorOf(type: ValueType<unknown>): fc.Arbitrary<unknown> {
  // Items that contain the separator of their list cannot be written, so lists are tested with simple items.
  if (type.item !== undefined) {
    const isPlain = generators[type.item.label] === undefined && type.item.label !== 'enum';
    const item = isPlain ? lowercase : generatorOf(type.item);
    return fc.array(item, { maxLength: 5 });
  }
  if (type.label === 'enum') return fc.constantFrom(...type.allowed!.split(', '));
  // A type without a generator is plain text, and must have no syntax.
  const generator = generators[type.label] ?? (type.label === 'group' ? lowercase : line);
  assert.ok(
    type.label in generators || type.syntax === undefined,
    `a generator for ${type.label} is missing`,
  );
  return generator;
}

test('every type reads back what it prints', () => {
  for (const { name, type } of flagRows) {
    fc.assert(
      fc.property(generatorOf(type), (value) => {
        const text = type.print(value);
        const parsed = text === '' && type.empty !== undefined ? { value: type.empty } : type.parse(text);
        fc.pre(!('problem' in parsed && type.allowed !== undefined && typeof value === 'number'));
        assert.deepEqual(parsed, { value }, `${name}: ${text}`);
      }),
      { numRuns: 50 },
    );
  }
});
