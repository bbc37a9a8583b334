import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mixedVersions, newestVersions, type Software, zonesOf } from './client-words.ts';

const software = (name: string, version: string, connections = 1): Software => ({
  software_name: name,
  software_version: version,
  connections,
  principals: [],
  client_ids: [],
  has_more_names: false,
  agents: ['a', 'b', 'c'].map((agent_id) => ({ agent_id, connections: 1 })),
  agent_count: 3,
});

test('versions are compared by their numbers, and software without a name has none', () => {
  const clients = [
    software('java', '3.9.1', 2),
    software('java', '3.10.0'),
    software('', ''),
    software('go', '1'),
  ];
  assert.deepEqual(
    [...newestVersions(clients)],
    [
      ['java', '3.10.0'],
      ['go', '1'],
    ],
  );
  assert.deepEqual(mixedVersions(clients), [{ name: 'java', newest: '3.10.0', older: 2 }]);
  assert.deepEqual(mixedVersions([]), []);
});

test('zones are those of agents that know theirs', () => {
  const zones = new Map([
    ['a', 'zone-2'],
    ['b', 'zone-1'],
    ['c', ''],
  ]);
  assert.deepEqual(zonesOf(software('java', '1'), zones), ['zone-1', 'zone-2']);
  assert.deepEqual(zonesOf(software('java', '1'), new Map()), []);
});
