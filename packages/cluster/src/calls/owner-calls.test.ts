import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callLimits, decodeFrame, encodeFrame } from '@weir/rpc/testing';
import { ownerCalls } from './owner-calls.ts';

const clone = { sourceId: 'a', name: 'b', configs: {}, unsetConfigs: [], ends: [] };
const boundary = { fileId: 'f', byteStart: 0, byteLength: 9, maxTimestampMs: -1 };

const cases: [method: keyof typeof ownerCalls, args: unknown[], problem: RegExp | undefined][] = [
  ['listAgents', [], undefined],
  ['listAgents', [1], /not a list of 0/],
  ['listClients', [], undefined],
  ['listClients', [1], /not a list of 0/],
  ['clusterConfigs', [], undefined],
  ['clusterConfigs', [1], /not a list of 0/],
  ['describeTopics', [[{ name: 'a' }, { topicId: 'b' }]], undefined],
  ['describeTopics', [['a']], /not an object/],
  ['describePartitions', [[{ name: 'a' }]], undefined],
  ['describePartitions', [[{ topicId: 7 }]], /not a text/],
  ['countResources', [], undefined],
  ['listDeletedTopics', [], undefined],
  ['restoreTopics', [['a', 'b']], undefined],
  ['restoreTopics', [[1]], /not a text/],
  [
    'cloneTopic',
    [
      {
        ...clone,
        ends: [
          { partition: 0, offset: 7 },
          { partition: 1, offset: 7, boundary },
        ],
      },
    ],
    undefined,
  ],
  ['cloneTopic', [{ ...clone, ends: [{ partition: 0, offset: 0.5 }] }], /not a whole number/],
  ['cloneTopic', [{ ...clone, configs: { a: null } }], /./],
  ['removeTopics', [[{ name: 'a' }, { topicId: 'b' }]], undefined],
  ['removeTopics', [[{ name: 7 }]], /not a text/],
  [
    'alterOwnerConfigs',
    [[{ kind: 'cluster', name: '', replacesAll: false, changes: [] }], { validateOnly: false }],
    undefined,
  ],
  ['alterOwnerConfigs', [[{ kind: 'planet' }], { validateOnly: false }], /not one of/],
];

for (const [method, args, problem] of cases) {
  test(`${method} over the wire: ${problem ?? 'accepted'}`, () => {
    const { body } = decodeFrame(encodeFrame('call', 1, { method, args }), callLimits);
    const found = ownerCalls[method].args((body as { args: unknown }).args, 'args');
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', problem);
  });
}
