import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { flagRow } from '../flags/catalogue.ts';
import { parseCommandLine } from '../flags/parse.ts';
import { problemLine } from '../problem.ts';
import type { Violation } from './rule.ts';
import { brokenRule, rulebook } from './rulebook.ts';

function line(kind: Violation['kind'], argv: readonly string[], environment = {}): string | undefined {
  const parsed = parseCommandLine('agent', argv, environment);
  assert.ok('value' in parsed);
  const problem = brokenRule(kind, 'agent', parsed.value.values, parsed.value.settings);
  return problem === undefined ? undefined : problemLine(problem);
}

test('a violated rule names the settings as the user spelled them, without secrets', () => {
  assert.equal(
    line('forbidden', ['-enableRipcord'], { SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID: 'vci_sr_1' }),
    '-enableRipcord=true with SERVICE_DEFAULT_VIRTUAL_CLUSTER_ID=vci_sr_1: ' +
      'not supported with a schema registry cluster',
  );
  assert.equal(
    line('forbidden', ['-kafkaPort=8080']),
    '-kafkaPort=8080 with -httpPort=8080 (the default): two listeners cannot share a port',
  );
  assert.equal(
    line('forbidden', ['-apiKey=aks_hunter2', '-workloadIdentityTokenSource=aws']),
    '-apiKey=(hidden) with -workloadIdentityTokenSource=aws: set only one of them',
  );
  assert.equal(
    line('forbidden', [], { SERVICE_AGENT_ROLES: '' }),
    'SERVICE_AGENT_ROLES=: an agent needs at least one role',
  );
});

test('a missing setting is distinguished from an invalid one', () => {
  assert.equal(line('forbidden', []), undefined);
  assert.equal(line('missing', []), '-defaultVirtualClusterID is required');
  const identity = ['-defaultVirtualClusterID=vci_1', '-agentKey=aks_1'];
  assert.equal(
    line('missing', [...identity, '-region=us-east-1']),
    '-controlPlaneDomain: set the domain of the control plane: -region has its addresses there',
  );
  const addressed = [...identity, '-region=us-east-1', '-controlPlaneDomain=example.org'];
  assert.equal(
    line('missing', addressed),
    '-bucketURL is required, or -ingestionBucketURL and -compactionBucketURL',
  );
  assert.equal(line('missing', [...addressed, '-bucketURL=mem://a']), undefined);
});

test('every rule file is in the rulebook, and every rule is about flags that its commands take', () => {
  const others = ['rule.ts', 'rulebook.ts'];
  const files = readdirSync(import.meta.dirname).filter(
    (name) => !name.endsWith('.test.ts') && !others.includes(name),
  );
  assert.equal(rulebook.length, files.length);
  for (const { flags, commands, statement } of rulebook) {
    assert.match(statement, /\.$/);
    for (const flag of flags) {
      assert.ok(
        flagRow(flag).commands.some((command) => commands.includes(command)),
        `${flag}: ${statement}`,
      );
    }
  }
});
