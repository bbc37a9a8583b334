import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormattedPart } from '../http-data/formatted-records.ts';
import { gatewayLimits } from '../limits.ts';
import { RecordMasks } from './record-masks.ts';

const order =
  '{ "id": 12345678901234567890, "Email":"a@b", "card": {"number": "4111", "cvc": 1}, "items": [{"email": [1, {"x": 2}], "n": 1.50}, "email"], "note": "card: 4111" }';

// biome-ignore format: a table
const cases: [fields: string[], text: string, masked: string][] = [
  [['value.card.number'],  order, order.replace('"4111"', '"•••"')],
  [['value.card'],         order, order.replace('{"number": "4111", "cvc": 1}', '"•••"')],
  [['value.card.*'],       order, order.replace('"4111"', '"•••"').replace('"cvc": 1', '"cvc": "•••"')],
  [['email'],              order, order.replace('"a@b"', '"•••"').replace('[1, {"x": 2}]', '"•••"')],
  [['value.items.email'],  order, order.replace('[1, {"x": 2}]', '"•••"')],
  [['value.items.n'],      order, order.replace('1.50', '"•••"')],
  [['*mail'],              order, order.replace('"a@b"', '"•••"').replace('[1, {"x": 2}]', '"•••"')],
  [['value.absent'],       order, order],
  [['key.id', 'headers'],  order, order],
  [['value'],              order, '•••'],
  [['id', 'value.note'],   '{"i\\u0064":1,"note":null,"id":{"id":[]}}', '{"i\\u0064":"•••","note":"•••","id":"•••"}'],
  [['email'],              '[{"email":1},{"a":{"email":2}},3]', '[{"email":"•••"},{"a":{"email":"•••"}},3]'],
  [['email'],              '{}', '{}'],
  [['email'],              'plain email: a@b', '•••'],
  [['email'],              '{"email": "cut', '•••'],
  [['email'],              '"a@b"', '•••'],
];

for (const [fields, text, masked] of cases)
  test(`${fields} of ${text.slice(0, 40)}`, () => {
    const found = new RecordMasks(fields).part('value', { format: 'string', text });
    assert.equal(found?.text, masked);
    assert.equal(found?.isMasked === true, masked !== text);
  });

test('payloads in other forms are masked whole, and parts without a rule stay', () => {
  const masks = new RecordMasks(['value.email']);
  const bytes: FormattedPart = { format: 'base64', text: 'eyJlbWFpbCI6MX0=', problem: 'not JSON' };
  assert.deepEqual(masks.part('value', bytes), { format: 'string', text: '•••', isMasked: true });
  assert.equal(masks.part('key', bytes), bytes);
  assert.equal(masks.part('value', null), null);
  const decoded = { format: 'schema', text: '{"email":"a"}', schema: { ref: 7 } } as const;
  assert.deepEqual(masks.part('value', decoded), { ...decoded, text: '{"email":"•••"}', isMasked: true });
  const large = { format: 'json', text: `["${'x'.repeat(gatewayLimits.maskedFieldsBytesMax)}"]` } as const;
  assert.equal(masks.part('value', large)?.text, '•••');
  const deep = { format: 'json', text: `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}` } as const;
  assert.equal(masks.part('value', deep)?.text, deep.text);
});

test('headers are masked by name', () => {
  const headers = [
    { key: 'Token', value: Buffer.from('secret') },
    { key: 'trace', value: Buffer.from('abc') },
    { key: 'token', value: null },
  ];
  // biome-ignore format: a table
  const rules: [field: string, values: (string | undefined)[]][] = [
    ['headers.token', ['•••',    'abc', undefined]],
    ['t*n',           ['•••',    'abc', undefined]],
    ['headers',       ['•••',    '•••', undefined]],
    ['value.token',   ['secret', 'abc', undefined]],
  ];
  for (const [field, values] of rules)
    assert.deepEqual(
      new RecordMasks([field]).headers(headers).map(({ value }) => value?.toString()),
      values,
      field,
    );
});
