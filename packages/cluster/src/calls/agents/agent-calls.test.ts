import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentDescription } from '../../../testing/agent-description.ts';
import { clusterCalls } from '../cluster-calls.ts';

const agent = agentDescription('a');

const rows: readonly [what: string, heartbeat: object, problem?: string][] = [
  ['of an agent of an earlier release, which reports nothing', agent],
  ['with a report', { ...agent, report: { number: 1 } }],
  ['with an unreadable report, which does not invalidate the heartbeat', { ...agent, report: 5 }],
  ['of a later release, with more fields', { ...agent, later: true }],
  ['without a host', { ...agent, host: undefined }, 'heartbeat[0].host: not a text'],
];

for (const [what, heartbeat, problem] of rows) {
  test(`${problem === undefined ? 'taken' : 'refused'}: a heartbeat ${what}`, () => {
    assert.equal(clusterCalls.heartbeat.args([heartbeat], 'heartbeat'), problem);
  });
}
