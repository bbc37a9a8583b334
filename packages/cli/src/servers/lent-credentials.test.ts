import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { systemClock } from '@weir/core';
import { withLentCredentials } from './lent-credentials.ts';

const environment = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'token' };

test('an agent lends its credentials of AWS if it is told so', async () => {
  const deps = { environment, clock: systemClock };
  const silent = withLentCredentials(usualTenantAccess, { lendAWSCredentials: false }, deps);
  assert.equal(silent.lentAwsCredentials, undefined);
  const lending = withLentCredentials(usualTenantAccess, { lendAWSCredentials: true }, deps);
  assert.equal(lending.variables, usualTenantAccess.variables);
  const { accessKeyId, secretAccessKey, sessionToken } = await lending.lentAwsCredentials!();
  assert.deepEqual([accessKeyId, secretAccessKey, sessionToken], ['id', 'secret', 'token']);
});
