import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits } from './limits.ts';
import { problemOfPrincipalName } from './principal-name.ts';

test('names that stand for others, or do not show what they are, are no names of users', () => {
  const wrong = [
    '',
    'ANONYMOUS',
    '*',
    'a\nb',
    'a\0',
    '\x7f',
    '\x85',
    'a\u2028b',
    'admin\u200b',
    '\u202enimda',
    '\ud800',
  ];
  for (const name of [...wrong, 'x'.repeat(coreLimits.principalNameCharsMax + 1)])
    assert.notEqual(problemOfPrincipalName(name), undefined, JSON.stringify(name));
  const right = [
    'alice',
    'CN=a,O=b',
    'anonymous',
    '**',
    'José 東',
    'spiffe://a/b',
    'a b',
    'ANONYMOUS2',
    '👩‍💻',
  ];
  for (const name of [...right, 'x'.repeat(coreLimits.principalNameCharsMax)])
    assert.equal(problemOfPrincipalName(name), undefined, name);
});
