import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, type Draft, freePartName, isEmptyDraft, isSameDraft } from './draft.ts';

const parts = (texts: Readonly<Record<string, string>>): Draft => ({
  parts: Object.entries(texts).map(([name, yaml]) => ({ name, yaml })),
});

test('what deploying changes, text by text', () => {
  const cases: readonly (readonly [before: Draft, after: Draft, changes: readonly object[]])[] = [
    [{ yaml: 'a' }, { yaml: 'b' }, [{ before: 'a', after: 'b' }]],
    [{ yaml: '' }, parts({ one: 'a' }), [{ part: 'one', before: '', after: 'a' }]],
    [
      parts({ one: 'a', two: 'b' }),
      parts({ one: 'a', two: 'c' }),
      [{ part: 'two', before: 'b', after: 'c' }],
    ],
    [parts({ one: 'a', two: 'b' }), parts({ one: 'a' }), [{ part: 'two', before: 'b', after: '' }]],
    [
      { yaml: 'a\nb' },
      parts({ one: 'a', two: 'b' }),
      [
        { part: 'one', before: 'a\nb', after: 'a' },
        { part: 'two', before: '', after: 'b' },
      ],
    ],
    [
      parts({ one: 'a', two: 'b' }),
      { yaml: 'a\nb' },
      [
        { part: 'one', before: 'a', after: 'a\nb' },
        { part: 'two', before: 'b', after: '' },
      ],
    ],
  ];
  for (const [before, after, changes] of cases) assert.deepEqual(changesOf(before, after), changes);
});

test('drafts that are empty or the same', () => {
  assert.ok(isEmptyDraft({ yaml: ' \n' }));
  assert.ok(isEmptyDraft(parts({ one: '', two: ' ' })));
  assert.ok(!isEmptyDraft(parts({ one: '', two: 'x' })));
  assert.ok(isSameDraft(parts({ one: 'a' }), parts({ one: 'a' })));
  assert.ok(!isSameDraft(parts({ one: 'a' }), parts({ two: 'a' })));
  assert.ok(!isSameDraft({ yaml: 'a' }, parts({ one: 'a' })));
});

test('a new part has a name of its own', () => {
  assert.equal(freePartName([{ name: 'part-2', yaml: '' }]), 'part-3');
  assert.equal(freePartName([]), 'part-1');
});
