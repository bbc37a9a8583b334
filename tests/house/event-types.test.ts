import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTypes as typesOfTheApi } from '../../packages/api/src/operations/events-state.ts';
import { eventTypeNames } from '../../packages/events/src/event-types.ts';
import { eventTypes as typesOfConfigs } from '../../packages/metadata/src/configs/event-configs.ts';

// The layers do not let the API and the configs of a cluster read the definition.
test('every list of event types is the same', () => {
  assert.deepEqual([...typesOfTheApi].sort(), [...eventTypeNames].sort());
  assert.deepEqual([...typesOfConfigs].sort(), [...eventTypeNames].sort());
});
