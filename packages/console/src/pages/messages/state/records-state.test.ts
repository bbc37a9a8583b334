import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moved, readChoices, usualColumns, withChoice } from './column-choice.ts';
import { decodedRecord, formatsOf, readDecoder } from './decoders.ts';
import { csvOfRecords, ndjsonLine } from './export-records.ts';
import { fieldsOfRecords, filterFields, pathOfField, textAt } from './record-fields.ts';
import type { RecordPart, TopicRecord } from './records.ts';

const part = (text: string, format: RecordPart['format'] = 'json'): RecordPart => ({
  text,
  format,
  bytes: text.length,
  is_cut: false,
  is_masked: false,
  schema_id: null,
  schema_guid: null,
  schema_type: null,
  subjects: [],
  problem: null,
});

const record = (differs: Partial<TopicRecord> = {}): TopicRecord => ({
  partition: 2,
  offset: 42,
  timestamp: '2026-01-31T12:00:00.000Z',
  timestamp_ms: 1_769_860_800_000,
  key: null,
  value: null,
  headers: [],
  header_count: 0,
  bytes: 0,
  ...differs,
});

const order = record({
  key: part('customer-1', 'string'),
  value: part(
    '{\n "id": 12345678901234567890, "customer": {"name": "Ann", "first.name": "A"}, "items": [{"n":1}], "total": 9.5, "paid": true, "note": null}',
  ),
  headers: [{ key: 'trace', value: part('abc', 'string') as never }],
});

test('fields of records are named as filters name them, with values', () => {
  assert.deepEqual(
    fieldsOfRecords([order, order]).map(({ name, values }) => [name, values]),
    [
      ['value.id', []],
      ['value.customer.name', ['Ann']],
      ['value.customer.`first.name`', ['A']],
      ['value.items', []],
      ['value.total', [9.5]],
      ['value.paid', [true]],
      ['value.note', []],
      ['headers.trace', ['abc']],
    ],
  );
  assert.deepEqual(
    filterFields([])
      .map(({ name }) => name)
      .join(),
    'partition,offset,timestamp,key,value',
  );
  const cut = record({ value: { ...part('{"a":1}'), is_cut: true } });
  assert.deepEqual(fieldsOfRecords([cut, record({ value: part('{"a', 'string') })]), []);
  const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, nth) => [`f${nth}`, nth]));
  assert.equal(fieldsOfRecords([record({ value: part(JSON.stringify(wide)) })]).length, 200);
});

test('a field has its text, with all digits', () => {
  const cases: [field: string, text: string | undefined][] = [
    ['value.id', '12345678901234567890'],
    ['value.customer.name', 'Ann'],
    ['value.customer.`first.name`', 'A'],
    ['value.customer', '{"name":"Ann","first.name":"A"}'],
    ['value.items', '[{"n":1}]'],
    ['value.items.`0`.n', '1'],
    ['value.note', 'null'],
    ['value.absent', undefined],
    ['value.id.deeper', undefined],
    ['key.id', undefined],
    ['headers.trace', 'abc'],
    ['headers.other', undefined],
  ];
  for (const [field, text] of cases) assert.equal(textAt(order, pathOfField(field)!), text, field);
  for (const none of ['value', 'other.x', 'value.x == 1 or value.y', 'value.x::text', '', '<b>'])
    assert.equal(pathOfField(none), undefined, none);
});

test('columns are remembered by topic, and what is stored is not trusted', () => {
  const one = withChoice([], 'orders', ['place', 'value.total']);
  assert.deepEqual(readChoices(JSON.stringify(one)), [['orders', ['place', 'value.total']]]);
  assert.deepEqual(withChoice(one, 'orders', usualColumns), []);
  assert.deepEqual(
    withChoice(one, 'events', ['key']).map(([topic]) => topic),
    ['events', 'orders'],
  );
  for (const odd of [null, '{', '7', '[7]', '[["orders",7]]', '[["orders",["<b>",7,"other.x"]]]'])
    assert.deepEqual(readChoices(odd), [], String(odd));
  assert.deepEqual(readChoices('[["o",["key","key","value.a"]]]'), [['o', ['key', 'value.a']]]);
  assert.deepEqual(moved(['a', 'b', 'c'], 'c', -1), ['a', 'c', 'b']);
  assert.deepEqual(moved(['a', 'b'], 'b', 1), ['a', 'b']);
});

test('hex is drawn from base64, and other decoders are formats of the read', () => {
  assert.deepEqual(formatsOf({ keyAs: 'hex', valueAs: 'schema' }), {
    key_format: 'base64',
    value_format: 'schema',
  });
  assert.deepEqual(['hex', 'auto', '<b>', undefined].map(readDecoder), [
    'hex',
    undefined,
    undefined,
    undefined,
  ]);
  const bytes = record({ value: part('//4AgA==', 'base64') });
  assert.equal(decodedRecord(bytes, { valueAs: 'hex' }).value?.text, 'fffe0080');
  assert.equal(decodedRecord(bytes, { valueAs: 'base64' }), bytes);
  const cut = record({ key: { ...part('//4AgA', 'base64'), is_cut: true } });
  assert.equal(decodedRecord(cut, { keyAs: 'hex' }).key?.text, 'fffe00');
});

test('records are lines of JSON and of CSV', () => {
  assert.equal(
    ndjsonLine(order),
    '{"partition":2,"offset":42,"timestamp":"2026-01-31T12:00:00.000Z","timestamp_ms":1769860800000,' +
      '"key":"customer-1","value":{"id":12345678901234567890,"customer":{"name":"Ann","first.name":"A"},' +
      '"items":[{"n":1}],"total":9.5,"paid":true,"note":null},"headers":[["trace","abc"]]}\n',
  );
  const odd = record({ timestamp: null, value: { ...part('//4A', 'base64'), is_cut: true } });
  assert.equal(
    ndjsonLine(odd),
    '{"partition":2,"offset":42,"timestamp":null,"timestamp_ms":1769860800000,' +
      '"key":null,"value":"//4A","headers":[],"value_format":"base64","cut":["value"]}\n',
  );
  const formula = record({ key: part('=1+1', 'string'), value: part('{"a":"x,y"}') });
  assert.equal(
    csvOfRecords([formula], ['value.a', 'value.b']),
    'partition,offset,timestamp,key,value,headers,value.a,value.b\r\n' +
      '2,42,2026-01-31T12:00:00.000Z,\'=1+1,"{""a"":""x,y""}",,"x,y",\r\n',
  );
});
