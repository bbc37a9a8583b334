import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tagProblem, tagsOf } from './tags.ts';

const typed = (...tags: readonly (readonly [string, string])[]) =>
  tags.map(([name, value], key) => ({ key, name, value }));

test('what is wrong with tags', () => {
  const long = 'a'.repeat(257);
  const cases: readonly (readonly [ReturnType<typeof typed>, readonly (RegExp | undefined)[]])[] = [
    [typed(['team', 'shop'], ['', '']), [undefined, undefined]],
    [typed(['team', '']), [undefined]],
    [typed(['', 'shop']), [/no name/]],
    [typed(['team', 'shop'], ['team', 'billing']), [undefined, /another tag/]],
    [typed([long, ''], ['team', long]), [/longer/, /longer/]],
  ];
  for (const [tags, wanted] of cases) {
    tags.forEach((tag, index) => {
      const problem = tagProblem(tag, tags);
      if (wanted[index] === undefined) assert.equal(problem, undefined);
      else assert.match(problem ?? '', wanted[index]);
    });
  }
  const many = typed(...Array.from({ length: 51 }, (_, index) => [`tag ${index}`, ''] as const));
  assert.equal(tagProblem(many[49]!, many), undefined);
  assert.match(tagProblem(many[50]!, many) ?? '', /exceeds the limit/);
});

test('rows without text are no tags', () => {
  assert.deepEqual(tagsOf(typed(['team', 'shop'], ['', ''], ['spare', ''])), { team: 'shop', spare: '' });
});
