import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExportedSubjects, problemOfPattern } from './exported-subjects.ts';

const exportedBy = (
  subjects: string[],
  more: Partial<ConstructorParameters<typeof ExportedSubjects>[0]> = {},
) => new ExportedSubjects({ subjects, contextType: 'CUSTOM', context: '.to', ...more });

test('patterns choose subjects', () => {
  const all = ['orders', 'orders-eu', 'users', ':.a:orders', ':.a:users', ':.a.b:orders-eu'];
  // pattern, subjects
  const rows: readonly (readonly [string[], string[]])[] = [
    [['*'], ['orders', 'orders-eu', 'users']],
    [[':*:'], all],
    [[':*:*'], all],
    [['orders'], ['orders']],
    [['orders*'], ['orders', 'orders-eu']],
    [
      ['orders-*', 'users'],
      ['orders-eu', 'users'],
    ],
    [
      ['o*', 'orders-*', 'or*'],
      ['orders', 'orders-eu'],
    ],
    [[':.a:'], [':.a:orders', ':.a:users']],
    [[':.a:*'], [':.a:orders', ':.a:users']],
    [[':.a:u*'], [':.a:users']],
    [[':*:orders'], ['orders', ':.a:orders']],
    [[':*:orders-*'], ['orders-eu', ':.a.b:orders-eu']],
    [['nothing'], []],
  ];
  for (const [patterns, subjects] of rows) {
    const exported = exportedBy(patterns);
    assert.deepEqual(
      all.filter((subject) => exported.isExported(subject)),
      subjects,
      String(patterns),
    );
  }
});

test('a lookup agrees with a look at every pattern', () => {
  const texts = ['', 'a', 'ab', 'abc', 'b', 'ba', 'aa', 'aab', 'ac', 'c'];
  for (let bits = 0; bits < 1 << texts.length; bits += 7) {
    const chosen = texts
      .filter((_, at) => (bits >> at) & 1)
      .map((text, at) => (at % 3 === 2 ? text : `${text}*`));
    const patterns = chosen.filter((text) => text !== '');
    const exported = exportedBy(patterns);
    for (const name of [...texts.slice(1), 'abd', 'z', 'aabb']) {
      const isMeant = patterns.some((pattern) =>
        pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
      );
      assert.equal(exported.isExported(name), isMeant, `${name} by ${patterns}`);
    }
  }
});

test('names at the destination', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the notation of the API.
  const renamed = { subjectRenameFormat: 'dc_${subject}_${subject}' };
  const rows: readonly (readonly [Parameters<typeof exportedBy>[1], string, string, string])[] = [
    // how, subject, its name, what a reference to s from there becomes
    [{}, 's', ':.to:s', 's'],
    [{}, ':.a:s', ':.to.a:s', 's'],
    [{ contextType: 'AUTO', context: '.lsrc-abcdef' }, ':.a:s', ':.lsrc-abcdef.a:s', 's'],
    [{ contextType: 'NONE', context: undefined }, ':.a:s', ':.a:s', 's'],
    [{ contextType: 'DEFAULT', context: undefined }, ':.a:s', 's', 's'],
    [renamed, 's', ':.to:dc_s_s', 'dc_s_s'],
  ];
  for (const [how, subject, target, reference] of rows) {
    const exported = exportedBy([':*:'], how);
    assert.equal(exported.targetOf(subject), target);
    assert.equal(exported.referenceOf('.a', 's'), reference);
  }
  assert.equal(exportedBy([':*:']).referenceOf('.a', ':.b:s'), ':.to.b:s');
  // A replacement must not be read as a pattern of the text around it.
  assert.equal(exportedBy(['*']).targetOf('$&$1'), ':.to:$&$1');
});

test('what came from here is not copied back', () => {
  const exported = exportedBy([':*:'], { contextType: 'AUTO', context: '.lsrc-own' });
  for (const [context, isExported] of [
    ['.lsrc-own', false],
    ['.lsrc-own.a', false],
    ['.lsrc-other.lsrc-own', false],
    ['.lsrc-other', true],
    ['.lsrc-own2', true],
    ['.a', true],
  ] as const) {
    assert.equal(exported.isExported(`:${context}:s`), isExported, context);
    assert.equal(exported.isWholeContext(context), isExported, context);
  }
  assert.equal(exported.isWholeContext('.__GLOBAL'), false);
  assert.equal(exportedBy(['s*']).isWholeContext('.'), false);
});

test('a star is at the end', () => {
  for (const text of ['*', ':*:', ':*:*', 'a*', ':.a:', ':.a:b*'])
    assert.equal(problemOfPattern(text), undefined);
  for (const text of ['', '**', 'a*b', ':.*:a', ':*:a*b', ':.a*:']) assert.ok(problemOfPattern(text), text);
});
