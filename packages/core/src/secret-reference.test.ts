import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreLimits } from './limits.ts';
import {
  isSecretName,
  isSecretReference,
  problemOfSecretReferences,
  SecretMissing,
  secretNamesIn,
  withSecrets,
} from './secret-reference.ts';

test('names', () => {
  for (const name of ['a', 'registry-password', 'A.b_c-9', 'a'.repeat(64)])
    assert.ok(isSecretName(name), name);
  for (const name of ['', '9a', '-a', 'a b', 'a/b', 'a}', 'ä', 'a'.repeat(65)])
    assert.ok(!isSecretName(name), name);
});

test('references are found and replaced, and mistakes are not taken for a text', () => {
  const values = { a: 'one', 'b.c': `\${secret:a}` };
  // text, names, result
  const rows: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ['', [], ''],
    [`\${secret:a}`, ['a'], 'one'],
    [`me:\${secret:a}`, ['a'], 'me:one'],
    [`\${secret:a}/\${secret:b.c}/\${secret:a}`, ['a', 'b.c'], `one/\${secret:a}/one`],
    [`\${NAME} \${{secret:a}} $secret:a {secret:a}`, [], `\${NAME} \${{secret:a}} $secret:a {secret:a}`],
    [`\${secret:}`, [], undefined],
    [`\${ secret:a}`, [], undefined],
    [`\${secret: a}`, [], undefined],
    [`\${secret:a`, [], undefined],
    [`\${secret:9}`, [], undefined],
    [`\${secret:${'a'.repeat(300)}}`, [], undefined],
  ];
  for (const [text, names, result] of rows) {
    assert.deepEqual(secretNamesIn([text]), names, text);
    assert.equal(problemOfSecretReferences(text) === undefined, result !== undefined, text);
    if (result === undefined) assert.throws(() => withSecrets(text, values), SecretMissing, text);
    else assert.equal(withSecrets(text, values), result);
  }
  assert.ok(isSecretReference(`\${secret:a}`) && !isSecretReference(`x\${secret:a}`));
});

test('a secret that was not handed over is missing, whatever objects have by themselves', () => {
  for (const name of ['b', 'constructor', 'toString'])
    assert.throws(
      () => withSecrets(`\${secret:${name}}`, { a: 'x' }),
      new RegExp(`names the secret ${name}, which`),
    );
});

test('a text has at most so many references', () => {
  const most = `\${secret:a}`.repeat(coreLimits.secretReferencesMax);
  assert.equal(problemOfSecretReferences(most), undefined);
  assert.match(problemOfSecretReferences(`${most}\${secret:a}`)!, /^has more than/);
});

test('a long text costs no more than its length', () => {
  for (const piece of [`\${secret:`, `\${  secret  :`, `\${secret:a`, '$'])
    assert.deepEqual(secretNamesIn([piece.repeat(200_000)]), []);
});
