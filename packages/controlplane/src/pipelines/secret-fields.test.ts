import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/pipelines/config';
import { mask, maskedValue } from './mask-secrets.ts';
import { isSecretField } from './secret-fields.ts';

type FieldType = ReturnType<typeof catalogue.all>[number]['field']['type'];

/** Every field of a component, with whether it is defined as secret. */
function* fieldsOf(
  { fields = {}, items }: FieldType,
  keys: readonly string[],
): Generator<readonly [keys: readonly string[], isSecret: boolean]> {
  for (const [name, { type, traits }] of Object.entries(fields)) {
    yield [[...keys, name], traits.isSecret];
    yield* fieldsOf(type, [...keys, name]);
  }
  if (items !== undefined) yield* fieldsOf(items, keys);
}

test('a planted value is masked in every field that is defined as secret, however deep the component is', () => {
  let count = 0;
  for (const { name, field } of catalogue.all())
    for (const [keys, isSecret] of fieldsOf(field.type, [name])) {
      if (!isSecret) continue;
      count++;
      for (const above of [
        [],
        ['output'],
        ['input', 'broker', 'inputs'],
        ['pipeline', 'processors', 'branch'],
      ])
        assert.equal(maskedValue([...above, ...keys], 'hunter2'), mask, [...above, ...keys].join('.'));
    }
  assert.ok(count > 50, String(count));
});

test('other fields are not', () => {
  for (const keys of [
    [],
    ['url'],
    ['input', 'kafka_franz', 'topics'],
    ['redis'],
    ['redis', 'key'],
    ['mqtt', 'x', 'urls'],
  ])
    assert.equal(isSecretField(keys), false, keys.join('.'));
});
