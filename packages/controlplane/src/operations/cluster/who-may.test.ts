import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Acl } from '@weir/core';
import { whoMay } from './who-may.ts';

test('other calls run while many rules about one resource are evaluated', async () => {
  const acls = Array.from(
    { length: 5000 },
    (_, index): Acl => ({
      principal: `User:u${index}`,
      host: '*',
      operation: 'READ',
      permission: 'ALLOW',
      resourceType: 'TOPIC',
      resourceName: 'orders',
      patternType: 'LITERAL',
    }),
  );
  const question = {
    host: '10.0.0.1',
    isHostGiven: false,
    operation: 'READ',
    resourceType: 'TOPIC',
    resourceName: 'orders',
  } as const;
  let pauses = 0;
  const { namedCount, named } = await whoMay(acls, question, [], async () => {
    pauses++;
  });
  assert.equal(namedCount, acls.length);
  // Once per 500 rules, once per 500 principals, and for each principal that is returned in detail.
  assert.equal(pauses, 10 + 10 + named.length);
});
