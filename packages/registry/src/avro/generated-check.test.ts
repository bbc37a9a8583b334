import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import fc from 'fast-check';
import { AvroGenerator } from '../../testing/avro-generator.ts';
import { schemaSource } from '../../testing/schema-source.ts';
import { registryLimits } from '../limits.ts';
import { InvalidSchema } from '../schema-format.ts';
import { type AvroSchema, avroFormat } from './avro-format.ts';
import { generateCheck } from './generated-check.ts';
import { jsonText } from './json-text.ts';
import { PayloadReader } from './payload-reader.ts';
import { compileValidator } from './payload-validator.ts';

function parsed(text: string): AvroSchema | undefined {
  try {
    return avroFormat.parse(schemaSource(text));
  } catch (error) {
    assert.ok(error instanceof InvalidSchema, String(error));
    return undefined;
  }
}

/** The verdicts of the generated check and of the validator with reasons. The payload lies between other bytes. */
function stage(text: string) {
  const schema = parsed(text);
  assert.ok(schema, text);
  const { root } = schema;
  const check = generateCheck(root);
  assert.ok(check);
  const explain = compileValidator(root);
  const codec = avroFormat.codec(schema);
  return (payload: Uint8Array, around = 0) => {
    const bytes = Buffer.concat([Buffer.alloc(3, around), payload, Buffer.alloc(3, around)]);
    const end = 3 + payload.length;
    const passes = check(bytes, 3, end) >= 0;
    const { problem } = explain(payload);
    assert.equal(codec.problemOf(bytes, 3, end), problem);
    if (passes) {
      assert.equal(problem, undefined, `passes: ${Buffer.from(payload).toString('hex')}`);
      try {
        new PayloadReader().read(root, payload);
      } catch (error) {
        // A changed count can stand for many values that take no bytes.
        assert.match(String(error), /too many values for its size/);
      }
    }
    return { passes, problem };
  };
}

test('what passes a check has no problem, and what is encoded passes', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const random = seededRandom(seed);
      const generator = new AvroGenerator(random);
      const text = jsonText(generator.schema());
      const schema = parsed(text);
      const value = schema && generator.value(schema.root);
      if (schema === undefined || value === undefined) return;
      const verdicts = stage(text);
      const payload = Buffer.from(avroFormat.codec(schema).encode(value));
      assert.deepEqual(verdicts(payload), { passes: true, problem: undefined });
      for (let times = 0; times < 40; times += 1) {
        verdicts(
          mutated(payload, (count) => random.below(count)),
          oddBytes[random.below(oddBytes.length)],
        );
      }
    }),
    { numRuns: 300 },
  );
});

/** Bytes that matter: ends of numbers, small counts, blocks with a size, padding. */
const oddBytes = [0, 1, 2, 3, 4, 5, 0x0f, 0x10, 0x7f, 0x80, 0x81, 0xff];

function mutated(payload: Buffer, below: (count: number) => number): Buffer {
  let bytes = Buffer.from(payload);
  for (let times = 1 + below(3); times > 0; times -= 1) {
    const at = below(bytes.length + 1);
    const odd = Buffer.from(Array.from({ length: 1 + below(3) }, () => oddBytes[below(oddBytes.length)]!));
    const way = below(4);
    const cut = way === 0 ? 0 : way === 1 ? 1 : way === 2 ? odd.length : 1 + below(4);
    bytes = Buffer.concat([
      bytes.subarray(0, at),
      way === 1 ? Buffer.alloc(0) : odd,
      bytes.subarray(at + cut),
    ]);
  }
  return bytes;
}

const record = (name: string, ...types: unknown[]) => ({
  type: 'record',
  name,
  fields: types.map((type, index) => ({ name: `f${index}`, type })),
});
const array = (items: unknown) => ({ type: 'array', items });
const map = (values: unknown) => ({ type: 'map', values });
const fixed = (size: number) => ({ type: 'fixed', name: `F${size}`, size });

const passing: [name: string, schema: unknown, hex: string][] = [
  ['a block with its size', array('long'), '0304063600'],
  ['blocks with sizes in each other', array(array('int')), '010a030402040000'],
  ['a map in a block with its size', map('string'), '01080261026100'],
  ['blocks of fixed items', array('double'), `02${'00'.repeat(8)}0110${'00'.repeat(8)}00`],
  ['blocks of empty items with a size', array('null'), '010000'],
  [
    'fields of fixed sizes in one',
    record('R', 'double', 'float', fixed(3), 'boolean'),
    `${'7f'.repeat(15)}01`,
  ],
  ['items that are records of fixed sizes', array(record('P', 'double', 'double')), `04${'01'.repeat(32)}00`],
  ['a record in two places', record('R', record('P', 'string'), 'P', array('P')), '0261026202026300'],
  ['a union of three', ['null', 'string', array('int')], '04020200'],
  ['a record in branches', [record('A', 'int'), record('B', 'A', 'A')], '020204'],
  ['null second', ['string', 'null'], '02'],
  ['a record that contains itself', record('R', ['null', 'R'], array('R')), '02000000'],
  ['a record without fields', record('R', record('E'), 'int', array('E')), '020400'],
  ['an int of five bytes', 'int', 'ffffffff0f'],
  ['a long of ten bytes', 'long', 'ffffffffffffffffff01'],
  ['a text of two bytes of length', 'string', `8001${'61'.repeat(64)}`],
];

for (const [name, schema, hex] of passing) {
  test(`passes: ${name}`, () => {
    assert.deepEqual(stage(JSON.stringify(schema))(Buffer.from(hex, 'hex')), {
      passes: true,
      problem: undefined,
    });
  });
}

const failing: [name: string, schema: unknown, hex: string, problem: string][] = [
  [
    'a wrong size',
    array('double'),
    `0112${'00'.repeat(8)}00`,
    'a block does not have the size that it states',
  ],
  ['a wrong size of empty items', array('null'), '010200', 'a block does not have the size that it states'],
  ['more fixed items than bytes', array(fixed(3)), '06000000', 'the payload is truncated'],
  [
    'an end within merged fields',
    record('R', 'double', 'float'),
    '00'.repeat(9),
    'f1: the payload is truncated',
  ],
];

for (const [name, schema, hex, problem] of failing) {
  test(`fails: ${name}`, () => {
    assert.deepEqual(stage(JSON.stringify(schema))(Buffer.from(hex, 'hex')), { passes: false, problem });
  });
}

test('padded lengths do not pass, and are valid', () => {
  assert.deepEqual(stage('["null","string"]')(Buffer.from('8000', 'hex')), {
    passes: false,
    problem: undefined,
  });
});

test('values nest as deep as allowed, and no deeper', () => {
  const max = registryLimits.avroPayloadDepthMax;
  const tooDeep = `values nest deeper than ${max} levels`;
  const chain = stage(JSON.stringify(record('R', ['null', 'R'])));
  const links = (count: number) => Buffer.from(`${'02'.repeat(count - 1)}00`, 'hex');
  assert.deepEqual(chain(links(max)), { passes: true, problem: undefined });
  assert.ok(chain(links(max + 1)).problem?.endsWith(tooDeep));
  // A record and an array for each level.
  const tree = stage(JSON.stringify(record('R', array('R'))));
  const levels = (count: number) =>
    Buffer.from(`${'02'.repeat(count - 1)}00${'00'.repeat(count - 1)}`, 'hex');
  assert.deepEqual(tree(levels(max / 2)), { passes: true, problem: undefined });
  assert.ok(tree(levels(max / 2 + 1)).problem?.endsWith(tooDeep));
});

test('large schemas have no generated check', () => {
  const check = (schema: unknown) => generateCheck(parsed(JSON.stringify(schema))!.root);
  assert.equal(check(record('R', ...Array.from({ length: 2_000 }, () => 'int'))), undefined);
  let nested: unknown = 'int';
  for (let at = 0; at < 100; at += 1) nested = array(nested);
  assert.equal(check(nested), undefined);
  const codec = avroFormat.codec(parsed(JSON.stringify(nested))!);
  assert.equal(codec.problemOf(Buffer.from('00', 'hex')), undefined);
  // Records that contain each other twice: 2^60 values in few bytes of schema.
  const doubling: unknown[] = [record('R0', 'int')];
  for (let at = 1; at < 60; at += 1) doubling.push(record(`R${at}`, `R${at - 1}`, `R${at - 1}`));
  const { problem } = stage(JSON.stringify(doubling))(Buffer.alloc(100, 0x02));
  assert.equal(problem, '97 bytes follow the value');
});

test('records that are deeper than code inlines them have functions', () => {
  for (const within of [(type: unknown) => type, array, map, (type: unknown) => ['null', type]]) {
    let schema: unknown = 'int';
    let payload = '02';
    const [open, close] = within === array ? ['02', '00'] : within === map ? ['020261', '00'] : ['', ''];
    for (let at = 0; at < 120; at += 1) {
      schema = record(`R${at}`, within(schema));
      payload = `${Array.isArray(within('')) ? '02' : open}${payload}${close}`;
    }
    const verdict = stage(JSON.stringify(schema))(Buffer.from(payload, 'hex'));
    assert.deepEqual(verdict, { passes: true, problem: undefined });
  }
});
