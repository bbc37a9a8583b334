import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCredentials } from './credentials-file.ts';

test('a list of credentials is read', () => {
  const text = JSON.stringify([
    { name: 'orders', password: 'p1' },
    { name: 'ccn_shop', username: 'ccun_7', password: 'p2', superuser: true },
    { name: 'admin', username: 'spiffe://example.org/admin', superuser: true },
  ]);
  assert.deepEqual(parseCredentials(text), [
    { name: 'ccn_orders', username: 'orders', password: 'p1', isSuperuser: false },
    { name: 'ccn_shop', username: 'ccun_7', password: 'p2', isSuperuser: true },
    {
      name: 'ccn_admin',
      username: 'spiffe://example.org/admin',
      password: undefined,
      isSuperuser: true,
    },
  ]);
  assert.deepEqual(parseCredentials('[]'), []);
});

const secret = 'p-planted-secret';

const refused: [what: string, text: string, message: RegExp][] = [
  ['no JSON', `[{"name": "a", "password": "${secret}"`, /^the file is not JSON$/],
  ['no list', JSON.stringify({ name: 'a', password: secret }), /not a list/],
  ['no object', JSON.stringify([secret]), /^entry 1 is not an object/],
  ['no name', JSON.stringify([{ password: secret }]), /^entry 1: name is/],
  ['a name with blanks', JSON.stringify([{ name: 'a b', password: secret }]), /^entry 1: name is/],
  ['a field that is not known', JSON.stringify([{ name: 'a', [secret]: 1 }]), /^entry 1 \(a\): only name,/],
  [
    'a password that is no text',
    JSON.stringify([{ name: 'a', password: [secret] }]),
    /password is not a text/,
  ],
  ['an empty password', JSON.stringify([{ name: 'a', password: '' }]), /password is not a text/],
  [
    'a long password',
    JSON.stringify([{ name: 'a', password: secret.repeat(100) }]),
    /password has more than/,
  ],
  ['a superuser by another word', JSON.stringify([{ name: 'a', superuser: 'yes' }]), /superuser is not true/],
  [
    'the second of two',
    JSON.stringify([
      { name: 'a', password: secret },
      { name: 'b', username: 7, password: secret },
    ]),
    /^entry 2 \(b\): username/,
  ],
  [
    'a name twice',
    JSON.stringify([
      { name: 'a', username: 'x', password: secret },
      { name: 'ccn_a', username: 'y', password: secret },
    ]),
    /two entries have the name "ccn_a"/,
  ],
  [
    'a username twice',
    JSON.stringify([
      { name: 'a', password: secret },
      { name: 'b', username: 'a', password: secret },
    ]),
    /two entries have the username "a"/,
  ],
];

for (const [what, text, message] of refused) {
  test(`refused: ${what}`, () => {
    assert.throws(
      () => parseCredentials(text),
      (error: Error) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /planted/);
        return true;
      },
    );
  });
}
