import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaSource } from '../../testing/schema-source.ts';
import { registryLimits } from '../limits.ts';
import type { SchemaSource } from '../schema-format.ts';
import { type AvroSchema, avroFormat } from './avro-format.ts';

/** Schemas that are meant to cost much. None may cost more than a moment, or end in another error. */

function parse(text: string): AvroSchema {
  return avroFormat.parse(schemaSource(text));
}

function differences(reader: AvroSchema, writer: AvroSchema): number {
  return avroFormat.incompatibilities(reader, writer, { reader: 'new', policy: 'STRICT' }).length;
}

function nestedArrays(levels: number, leaf = '"int"'): string {
  return `${'{"type":"array","items":'.repeat(levels)}${leaf}${'}'.repeat(levels)}`;
}

function list(count: number, item: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => item(at)).join(',');
}

const newFields = (count: number, type: string): string =>
  `{"type":"record","name":"W","fields":[${list(count, (at) => `{"name":"f${at}","type":${type}}`)}]}`;

test('texts that nest deeply are refused', () => {
  for (const text of [
    nestedArrays(100_000),
    '['.repeat(100_000),
    `{"type":"int","x":${'['.repeat(100_000)}`,
  ]) {
    assert.throws(() => parse(text), /nests deeper than 1000 levels/);
  }
});

test('texts that nest as deeply as they may are taken', () => {
  const schema = parse(nestedArrays(1000));
  assert.equal(parse(schema.canonicalText).canonicalText, schema.canonicalText);
  assert.equal(differences(schema, parse(nestedArrays(1000, '"string"'))), 1);
  assert.equal(avroFormat.codec(schema).problemOf(new Uint8Array(1)), undefined);
  const unions = `${'[{"type":"array","items":'.repeat(500)}"int"${'}]'.repeat(500)}`;
  assert.equal(differences(parse(unions), parse(unions)), 0);
  const heads = Array.from(
    { length: 330 },
    (_, at) => `{"type":"record","name":"A${at}","fields":[{"name":"x","type":`,
  ).join('');
  const records = (leaf: string): string => `${heads}${leaf}${'}]}'.repeat(330)}`;
  assert.equal(differences(parse(records('"int"')), parse(records('"string"'))), 1);
  const defaults = `{"type":"record","name":"R","fields":[{"name":"x","type":${nestedArrays(900)},"default":${'['.repeat(900)}${']'.repeat(900)}}]}`;
  assert.match(parse(defaults).canonicalText, /"default":\[\[/);
});

test('types that nest by name are refused where their text would nest too deeply', () => {
  const forward = `[${list(5000, (at) => `{"type":"record","name":"A${at}","fields":[{"name":"x","type":["null","A${(at + 1) % 5000}"]}]}`)}]`;
  assert.throws(() => parse(forward), /nest deeper than 1000 levels where each is printed at its first use/);
});

test('types that nest by name are compared and compiled without deep recursion', () => {
  const chain = (leaf: string): AvroSchema =>
    parse(
      `{"type":"record","name":"Root","fields":[{"name":"${leaf}","default":{},"type":[{"type":"map","values":"int"},` +
        `${list(5000, (at) => `{"type":"record","name":"A${at}","fields":[{"name":"x","type":${at === 0 ? `"${leaf}"` : `"A${at - 1}"`}}]}`)}]},` +
        `{"name":"last","type":"A4999"}]}`,
    );
  // The root of the chain is reached from its end: the two have no other field in common.
  assert.equal(differences(chain('int'), chain('long')), 1);
  assert.match(avroFormat.codec(chain('int')).problemOf(new Uint8Array(20))!, /nest deeper than 1000 levels/);
});

test('unions of very many types', () => {
  const union = (suffix: string): AvroSchema =>
    parse(
      `[${list(3_000, (at) => `{"type":"record","name":"A${at}${suffix}","fields":[{"name":"x","type":"int"}]}`)}]`,
    );
  assert.equal(differences(union(''), union('')), 0);
  assert.equal(differences(union(''), union('b')), registryLimits.avroDifferencesMax);
});

test('defaults that would be compared with very many types', () => {
  const types = list(1000, (at) => `{"type":"record","name":"A${at}","fields":[{"name":"x","type":"int"}]}`);
  const values = list(2_000, (at) => `"k${at}":{}`);
  const schema = `{"type":"record","name":"R","fields":[{"name":"m","type":{"type":"map","values":[${types},{"type":"record","name":"Fits","fields":[]}]},"default":{${values}}}]}`;
  assert.throws(() => parse(schema), /too costly to validate/);
});

test('names of a mebibyte', () => {
  const name = 'n'.repeat(2 ** 20);
  const schema = parse(
    `{"type":"record","name":"${name}","fields":[{"name":"next","type":["null","${name}"]}]}`,
  );
  assert.equal(schema.canonicalText.length, 2 * 2 ** 20 + 73);
  assert.equal(differences(schema, schema), 0);
  assert.throws(
    () => parse(`{"type":"record","name":"${name}-","fields":[]}`),
    ({ message }: Error) => message.length < 200,
  );
  assert.throws(() => parse(`{"type":"int","x":${'9'.repeat(2 ** 20)}}`), /longer than 1000 characters/);
});

test('references that reach the same schema in very many ways', () => {
  let below: Record<string, SchemaSource> = {};
  for (let level = 0; level < 60; level += 1) {
    const fields = Object.keys(below)
      .map((name) => `{"name":"${name}","type":"${name}"}`)
      .join(',');
    const sources = ['L', 'R'].map((side) =>
      schemaSource(`{"type":"record","name":"${side}${level}","fields":[${fields}]}`, below),
    );
    below = { [`L${level}`]: sources[0]!, [`R${level}`]: sources[1]! };
  }
  const schema = avroFormat.parse(schemaSource('["L59","R59"]', below));
  assert.equal(schema.canonicalText, '["L59","R59"]');
  assert.equal(differences(schema, schema), 0);
  // Empty values inside each other: no bytes, and 2^60 of them.
  assert.match(avroFormat.codec(schema).problemOf(new Uint8Array(1))!, /values that take no bytes/);
});

test('more references than allowed', () => {
  let source = schemaSource('"int"');
  for (let level = 0; level <= registryLimits.avroReferencesMax; level += 1) {
    source = schemaSource('"int"', { [`r${level}`]: source });
  }
  assert.throws(() => avroFormat.parse(source), /refers to more than 10000 schemas/);
});

test('differences that multiply through shared types', () => {
  const doubling = (leaf: string): AvroSchema =>
    parse(
      `[${list(60, (at) =>
        at === 0
          ? `{"type":"record","name":"E0","fields":[{"name":"v","type":"${leaf}"}]}`
          : `{"type":"record","name":"E${at}","fields":[{"name":"a","type":"E${at - 1}"},{"name":"b","type":"E${at - 1}"}]}`,
      )}]`,
    );
  const array = (schema: AvroSchema): AvroSchema =>
    avroFormat.parse(
      schemaSource('{"type":"array","items":"E59"}', { E59: schemaSource(schema.canonicalText) }),
    );
  assert.equal(
    differences(array(doubling('int')), array(doubling('string'))),
    registryLimits.avroDifferencesMax,
  );
});

test('records of 10,000 fields', () => {
  const ints = parse(newFields(10_000, '"int"'));
  assert.equal(differences(ints, parse(newFields(10_000, '"int"'))), 0);
  assert.equal(differences(ints, parse(newFields(10_000, '"string"'))), registryLimits.avroDifferencesMax);
});

test('cycles of different lengths', () => {
  const cycle = (length: number): AvroSchema =>
    parse(
      `[${list(length, (at) => `{"type":"record","name":"A${at}","fields":[{"name":"x","type":["null","A${(at + 1) % length}"]}]}`)}]`,
    );
  assert.ok(differences(cycle(200), cycle(199)) > 0);
});

test('payloads that cost more than their bytes', () => {
  // 900 nulls for each byte, and 300 records for each byte.
  const nulls = avroFormat.codec(
    parse(
      `{"type":"array","items":${newFields(900, '"null"').replace('"fields":[', '"fields":[{"name":"x","type":"boolean"},')}}`,
    ),
  );
  const many = Buffer.concat([Buffer.from('c09a0c', 'hex'), Buffer.alloc(100_001)]);
  assert.match(nulls.problemOf(many)!, /values that take no bytes/);
  const chain = list(
    300,
    (at) =>
      `{"type":"record","name":"A${at}","fields":[{"name":"x","type":${at === 0 ? '"boolean"' : `"A${at - 1}"`}}]}`,
  );
  const records = avroFormat.codec(
    parse(
      `{"type":"record","name":"R","fields":[{"name":"u","type":[${chain}]},{"name":"x","type":{"type":"array","items":"A299"}}]}`,
    ),
  );
  const payload = Buffer.concat([Buffer.from('0000c09a0c', 'hex'), Buffer.alloc(100_001)]);
  assert.match(records.problemOf(payload)!, /too many records for its size/);
});

test('keys of Object.prototype are names like others', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const text = `{"type":"record","name":"${name}","fields":[{"name":"${name}","type":["null",{"type":"enum","name":"e.${name}","symbols":["${name}"],"default":"${name}"}],"default":null}],"${name}":{"${name}":1}}`;
    const schema = parse(text);
    assert.equal(parse(schema.canonicalText).canonicalText, schema.canonicalText);
    assert.equal(differences(schema, parse('{"type":"record","name":"Q","fields":[]}')), 1);
    const codec = avroFormat.codec(schema);
    const value = JSON.parse(`{"${name}":{"e.${name}":"${name}"}}`);
    assert.deepEqual(codec.decode(codec.encode(value)), value);
  }
});
