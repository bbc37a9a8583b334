import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from './steps-of.ts';

const failing = (name: string, kind: string, ...names: readonly string[]) => ({
  name,
  groups: names.map((one) => ({
    key: `${kind}:${one}`,
    message: '',
    since: '2026-01-01T00:00:00Z',
  })),
});

test('commands have names of users as one word', () => {
  const [lag] = stepsOf(failing('consumer_group_stuck', 'group', 'a; rm -rf b'));
  assert.deepEqual(lag, {
    text: 'See the lag of each partition',
    command: `weir cli consumer-group-lag -group 'a; rm -rf b'`,
  });
});

test('steps name the object, and only of a diagnostic that fails', () => {
  assert.deepEqual(stepsOf(failing('unused_credentials', 'credential', 'ccun_1')), [
    { text: 'Delete the credential ccun_1', page: 'credentials', name: 'ccun_1' },
  ]);
  assert.deepEqual(stepsOf(failing('unused_credentials', 'credential')), []);
  assert.equal(stepsOf(failing('no_superuser', 'cluster', 'c')).length, 1);
  assert.deepEqual(stepsOf(failing('bucket_latency', 'bucket', 'b')), [], 'the text alone says what to do');
  assert.equal(stepsOf(failing('topics_without_retention', 'topic', 'a', 'b', 'c', 'd')).length, 6);
  const [registry] = stepsOf(failing('subjects_without_compatibility', 'cluster', 'schema registry'));
  assert.deepEqual(registry, {
    text: 'Set the compatibility level of the registry to BACKWARD',
    compatibilityOf: undefined,
  });
});
