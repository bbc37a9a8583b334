import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCredentialRecord } from '@weir/cluster';
import { principalsOf } from './principals.ts';

test('a credential with the name of a user determines its aliases and whether it is a superuser', () => {
  const byKey = new Map([
    ['ccun_1', writeCredentialRecord({ id: 'cci_1', name: 'ccn_orders', isSuperuser: false, createdMs: 1 })],
    ['CN=root', writeCredentialRecord({ id: 'cci_2', name: 'root', isSuperuser: true, createdMs: 1 })],
  ]);
  const principalOf = principalsOf({ version: 1, byKey });
  assert.deepEqual(principalOf('ccun_1'), {
    name: 'User:ccun_1',
    aliases: ['User:orders', 'User:ccn_orders'],
    credentialName: 'ccn_orders',
    isSuperuser: false,
  });
  assert.partialDeepStrictEqual(principalOf('CN=root'), { name: 'User:CN=root', isSuperuser: true });
  assert.deepEqual(principalOf('nobody'), {
    name: 'User:nobody',
    aliases: [],
    credentialName: undefined,
    isSuperuser: false,
  });
  // A deleted credential no longer applies.
  byKey.delete('CN=root');
  assert.equal(principalOf('CN=root').isSuperuser, false);
});
