import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandLine } from '../flags/parse.ts';
import { problemLine } from '../problem.ts';
import { brokenRule } from './rulebook.ts';

function lines(argv: readonly string[]): (string | undefined)[] {
  const identity = ['-defaultVirtualClusterID=vci_1', '-agentKey=aks_1', '-metadataURL=http://127.0.0.1:1'];
  const parsed = parseCommandLine('agent', [...identity, '-bucketURL=mem://b', ...argv], {});
  assert.ok('value' in parsed, JSON.stringify(parsed));
  const { values, settings } = parsed.value;
  return (['forbidden', 'missing'] as const)
    .map((kind) => brokenRule(kind, 'agent', values, settings))
    .map((problem) => problem && problemLine(problem));
}

const url = '-externalSchemaRegistryURL=http://registry:8081,http://other:8081';

test('credentials of a registry need both parts and its address', () => {
  assert.deepEqual(lines([]), [undefined, undefined]);
  assert.deepEqual(lines([url]), [undefined, undefined]);
  assert.deepEqual(
    lines([url, '-externalSchemaRegistryUsername=u', '-externalSchemaRegistryPassword=secret']),
    [undefined, undefined],
  );
  assert.deepEqual(lines([url, '-externalSchemaRegistryUsername=u']), [
    undefined,
    '-externalSchemaRegistryPassword is required with -externalSchemaRegistryUsername, or -externalSchemaRegistryPasswordFile',
  ]);
  assert.deepEqual(lines([url, '-externalSchemaRegistryPassword=secret']), [
    undefined,
    '-externalSchemaRegistryUsername is required with -externalSchemaRegistryPassword',
  ]);
  const file = '-externalSchemaRegistryPasswordFile=/run/password';
  assert.deepEqual(lines([url, '-externalSchemaRegistryUsername=u', file]), [undefined, undefined]);
  assert.deepEqual(lines([url, file]), [
    undefined,
    '-externalSchemaRegistryUsername is required with -externalSchemaRegistryPasswordFile',
  ]);
  assert.deepEqual(
    lines([url, '-externalSchemaRegistryUsername=u', '-externalSchemaRegistryPassword=secret', file])[0],
    '-externalSchemaRegistryPassword=(hidden) with -externalSchemaRegistryPasswordFile=/run/password: set one of them',
  );
  assert.deepEqual(lines(['-externalSchemaRegistryPassword=secret']), [
    '-externalSchemaRegistryPassword=(hidden): needs -externalSchemaRegistryURL',
    undefined,
  ]);
});
