import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesRule, parseClaimRule } from './claim-rule.ts';

const claims = {
  sub: 'system:serviceaccount:stream:weir',
  email_verified: true,
  azp: 4711,
  'kubernetes.io': { namespace: 'stream', serviceaccount: { name: 'weir', 'a.b': 'c' } },
  google: { compute_engine: { project_id: 'my-project' } },
  aud: ['weir://vci_1'],
  nothing: null,
};

const cases: [path: string, value: string, matchesRule: boolean][] = [
  ['sub', 'system:serviceaccount:stream:weir', true],
  ['sub', 'system:serviceaccount:stream:*', true],
  ['sub', 'system:serviceaccount:other:*', false],
  ['sub', 'system:serviceaccount:stream:weir*', true],
  ['sub', 'SYSTEM:serviceaccount:stream:weir', false],
  ['sub', 'system:serviceaccount:stream:wei', false],
  ['google.compute_engine.project_id', 'my-project', true],
  ['google.compute_engine', 'my-project', false],
  ['google.compute_engine.project_id.length', '10', false],
  ['"kubernetes.io".namespace', 'stream', true],
  ['kubernetes.io.namespace', 'stream', false],
  ['"kubernetes.io".serviceaccount."a.b"', 'c', true],
  ['"sub"', 'system:*', true],
  ['email_verified', 'true', true],
  ['azp', '4711', true],
  ['aud', 'weir://vci_1', false],
  ['aud.0', 'weir://vci_1', true],
  ['nothing', 'null', false],
  ['missing', 'x', false],
  ['constructor.name', 'Object', false],
  ['__proto__.toString', 'x*', false],
];

for (const [path, value, expected] of cases) {
  test(`${path} = ${value}: ${expected ? 'met' : 'not met'}`, () => {
    assert.equal(matchesRule(parseClaimRule(path, value), claims), expected);
  });
}

const refused: [path: string, value: string, message: RegExp][] = [
  ['', 'x', /path is names/],
  ['.sub', 'x', /path is names/],
  ['sub.', 'x', /path is names/],
  ['a..b', 'x', /path is names/],
  ['"a', 'x', /path is names/],
  ['a"b"', 'x', /path is names/],
  ['"a"b', 'x', /path is names/],
  ['""', 'x', /path is names/],
  ['sub', '', /would match every token/],
  ['sub', '*', /would match every token/],
  ['sub', 'a*b', /before its end/],
  ['sub', 'a**', /before its end/],
];

for (const [path, value, message] of refused) {
  test(`refused: ${path} = ${value}`, () => {
    assert.throws(() => parseClaimRule(path, value), { message });
  });
}

test('any path finds its claim when every segment is in quotes', () => {
  const segment = fc.string({ minLength: 1 }).filter((text) => !text.includes('"') && text !== '__proto__');
  fc.assert(
    fc.property(
      fc.array(segment, { minLength: 1, maxLength: 5 }),
      fc.string({ minLength: 1 }),
      (segments, value) => {
        fc.pre(!value.includes('*'));
        const path = segments.map((name) => `"${name}"`).join('.');
        const found = segments.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
        assert.equal(matchesRule(parseClaimRule(path, value), found), true);
        assert.equal(matchesRule(parseClaimRule(path, `${value}x`), found), false);
        assert.equal(matchesRule(parseClaimRule(`${path}.more`, value), found), false);
      },
    ),
  );
});
