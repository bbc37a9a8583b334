import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import type { DesiredRegistry, DesiredSubject } from '../desired.ts';
import { checkParts, type RegistryItem, registryItems } from './registry-checks.ts';

interface SubjectOptions {
  readonly refersTo?: readonly string[];
  readonly chars?: number;
}

function subject(name: string, { refersTo = [], chars = 10 }: SubjectOptions = {}): DesiredSubject {
  const references = refersTo.map((one) => ({ name: one, subject: one }));
  const fields = { place: 'f:1:1', subject: name, type: 'AVRO', references } as const;
  return { place: 'f:1:1', name, schemas: [{ ...fields, text: 'x'.repeat(chars) }] };
}

const level = (scope: string | undefined) => ({ place: 'f:1:1', scope, level: 'FULL' as const });

function namesOf(parts: readonly (readonly RegistryItem[])[] | undefined) {
  return parts?.map((part) =>
    part.map((item) => (item.kind === 'schema' ? item.schema.subject : (item.settings.scope ?? '(all)'))),
  );
}

const partsOf = (registry: DesiredRegistry) => namesOf(checkParts(registryItems(registry)));

const half = apiLimits.apiRequestBytesMax / 2;

test('what fits into one call is checked in one, in the order in which it is done', () => {
  assert.deepEqual(
    partsOf({
      settings: { ...level(undefined), mode: 'READONLY' },
      contexts: [level(':.eu:')],
      subjects: [
        subject('a', { refersTo: ['b'] }),
        { ...subject('b', { refersTo: ['c', 'elsewhere'] }), settings: level('b') },
        subject('c'),
      ],
    }),
    [['(all)', ':.eu:', 'b', 'c', 'b', 'a', '(all)']],
  );
  assert.deepEqual(partsOf({}), []);
  assert.deepEqual(partsOf({ settings: level(undefined) }), [['(all)']]);
});

test('subjects that refer to each other are checked together, with the settings around them', () => {
  assert.deepEqual(
    partsOf({
      settings: level(undefined),
      subjects: [
        subject('a', { chars: half, refersTo: ['c'] }),
        subject('b', { chars: half }),
        { ...subject('c', { chars: 1000 }), settings: level('c') },
      ],
    }),
    [
      ['(all)', 'c', 'c', 'a'],
      ['(all)', 'b'],
    ],
  );
  const many = Array.from({ length: apiLimits.checkedRegistryChangesMax + 1 }, (_, at) => subject(`s${at}`));
  assert.deepEqual(
    partsOf({ subjects: many })?.map((part) => part.length),
    [apiLimits.checkedRegistryChangesMax, 1],
  );
});

test('what refers to each other and is too large for a call is not checked in pieces', () => {
  const subjects = [subject('a', { chars: half, refersTo: ['b'] }), subject('b', { chars: half })];
  assert.equal(partsOf({ subjects }), undefined);
});

test('a chain of references as long as a document may be is ordered', () => {
  const subjects = Array.from({ length: 10_000 }, (_, at) =>
    subject(`s${at}`, { refersTo: at === 9999 ? [] : [`s${at + 1}`] }),
  );
  const items = registryItems({ subjects });
  assert.deepEqual(
    [items.length, items[0]?.change.subject, items.at(-1)?.change.subject],
    [10_000, 's9999', 's0'],
  );
  assert.equal(checkParts(items), undefined);
});

test('versions of a subject stay in order, and references to a version come after it', () => {
  const first = subject('a').schemas[0]!;
  const second = { ...first, text: 'second', references: [{ name: 'b', subject: 'b' }] };
  const b = { ...first, subject: 'b', references: [{ name: 'a', subject: 'a', version: 1 }] };
  const items = registryItems({
    subjects: [
      { place: 'f:1:1', name: 'a', schemas: [first, second] },
      { place: 'f:1:1', name: 'b', schemas: [b] },
    ],
  });
  assert.deepEqual(
    items.map((item) => item.kind === 'schema' && item.schema),
    [first, b, second],
  );
});
