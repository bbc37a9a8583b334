import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EventTypeName, eventTypeNames } from '@weir/events';
import { EventSwitch } from './event-switch.ts';

const on = { 'service.events.enabled': 'true' };
const cases: [what: string, configs: Record<string, string>, wanted: readonly EventTypeName[]][] = [
  ['nothing is set', {}, []],
  ['events are on', on, eventTypeNames],
  [
    'all types but one',
    { ...on, 'service.events.acl_logs.enabled': 'false' },
    eventTypeNames.filter((type) => type !== 'acl_logs'),
  ],
  ['a type while events are off', { 'service.events.acl_logs.enabled': 'true' }, []],
];

for (const [what, configs, wanted] of cases) {
  test(`${what}: ${wanted.length} types are on`, () => {
    const events = new EventSwitch(() => configs);
    assert.deepEqual(
      eventTypeNames.filter((type) => events.isOn(type)),
      wanted,
    );
  });
}

test('a change takes effect at once', () => {
  let configs: Record<string, string> = {};
  const events = new EventSwitch(() => configs);
  assert.equal(events.isOn('agent_logs'), false);
  configs = on;
  assert.equal(events.isOn('agent_logs'), true);
  configs = {};
  assert.equal(events.isOn('agent_logs'), false);
});
