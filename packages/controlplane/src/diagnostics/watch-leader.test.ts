import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Log, Metrics, silentLog, systemClock } from '@weir/core';
import { startLeader, startNode } from '../../testing/leading-node.ts';
import { watchLeader } from './watch-leader.ts';

/** A log that remembers what it was told, by what it is about. */
function rememberingLog() {
  const told: Record<string, unknown>[] = [];
  const note = (_message: string, fields: Record<string, unknown> = {}) => void told.push(fields);
  return { told, log: { ...silentLog, info: note, warn: note } as Log };
}

test('a rule that never matches is told while rules are tried out, and until it is gone', async (t) => {
  const node = await startLeader(t);
  const { told, log } = rememberingLog();
  const metrics = new Metrics();
  const runner = watchLeader({ node, clusterId: 'vci_test', clock: systemClock, log, metrics });
  t.after(() => runner.stop());
  const rule = {
    resourceType: 'TOPIC',
    resourceName: '*',
    patternType: 'PREFIXED',
    principal: 'User:alice',
    host: '*',
    operation: 'READ',
    permission: 'ALLOW',
  } as const;
  await node.createAcls([rule]);
  const change = { name: 'service.acl.shadowing.enabled', operation: 'set', value: 'true' } as const;
  const configs = { kind: 'cluster', name: '', replacesAll: false, changes: [change] } as const;
  await node.alterConfigs([configs], { validateOnly: false });
  const failing =
    /^service_diagnostic_failure\{.*diagnostic_name="invalid_acls".*severity_medium="true".*\} 1$/m;
  const fine =
    /^service_diagnostic_failure\{.*diagnostic_name="invalid_acls".*severity_medium="false".*\} 0$/m;

  await runner.lookAtAll();
  assert.match(metrics.render(), failing);
  const [failed] = told.filter(({ diagnostic_id: id }) => id === 'invalid_acls');
  assert.partialDeepStrictEqual(failed, { transition: 'failed', severity: 'medium' });
  assert.match(String(failed!.message), /User:alice/);

  await node.deleteAcls([{ ...rule }]);
  await runner.lookAtAll();
  assert.match(metrics.render(), fine);
  assert.equal(told.findLast(({ diagnostic_id: id }) => id === 'invalid_acls')!.transition, 'recovered');
});

test('a process that does not lead looks at nothing', async (t) => {
  const database = 'memory://watched-by-the-other';
  await startLeader(t, database);
  const node = await startNode(t, database, 'two');
  const { told, log } = rememberingLog();
  const metrics = new Metrics();
  const runner = watchLeader({ node, clusterId: 'vci_test', clock: systemClock, log, metrics });
  await runner.lookAtAll();
  await runner.stop();
  assert.deepEqual(told, []);
  assert.doesNotMatch(metrics.render(), /^service_diagnostic_failure\{/m);
});
