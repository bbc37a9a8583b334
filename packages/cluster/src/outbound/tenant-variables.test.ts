import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOfListedVariable, TenantVariables } from './tenant-variables.ts';

test('variables with the prefix and those of the list have values, and no other', () => {
  const environment = { WEIR_PIPELINE_A: 'a', LISTED: 'b', SERVICE_AGENT_KEY: 'secret', PATH: '/bin' };
  const variables = new TenantVariables(environment, ['LISTED']);
  assert.equal(variables.valueOf('WEIR_PIPELINE_A'), 'a');
  assert.equal(variables.valueOf('LISTED'), 'b');
  for (const name of [
    'SERVICE_AGENT_KEY',
    'PATH',
    'WEIR_PIPELINE',
    'weir_pipeline_a',
    '__proto__',
    'LISTED ',
  ]) {
    assert.throws(() => variables.valueOf(name), { name: 'VariableRefused' }, name);
    assert.notEqual(variables.problemOf(name), undefined, name);
  }
  assert.throws(() => variables.valueOf('WEIR_PIPELINE_B'), /WEIR_PIPELINE_B of the agents is not set/);
});

test('an operator cannot list variables that the process reads itself', () => {
  for (const name of ['SERVICE_AGENT_KEY', 'AWS_SECRET_ACCESS_KEY', 'PGPASSWORD', 'WEIR_X', 'a-b', ''])
    assert.notEqual(problemOfListedVariable(name), undefined, name);
  for (const name of ['REGISTRY_USER', 'WEIR_PIPELINE_X', 'a1'])
    assert.equal(problemOfListedVariable(name), undefined, name);
});
