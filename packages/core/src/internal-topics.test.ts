import assert from 'node:assert/strict';
import { test } from 'node:test';
import { internalTopicProblem, isInternalTopic } from './internal-topics.ts';

const cases: [name: string, isInternal: boolean][] = [
  ['__service_events_acl_logs', true],
  ['__service_', true],
  ['__service.events_acl_logs', true],
  ['..service.events.acl.logs', true],
  ['__consumer_offsets', false],
  ['_service_events', false],
  ['orders__service_', false],
  ['', false],
];

for (const [name, isInternal] of cases) {
  test(`${JSON.stringify(name)} ${isInternal ? 'is internal' : 'is not internal'}`, () =>
    assert.equal(isInternalTopic(name), isInternal));
}

test('the error names the topic and the rule', () => {
  assert.match(internalTopicProblem('__service_x'), /__service_x belongs to the service.*__service_ are/);
});
