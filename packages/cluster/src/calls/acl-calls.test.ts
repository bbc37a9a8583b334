import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callLimits, decodeFrame, encodeFrame } from '@weir/rpc/testing';
import { aclCalls } from './acl-calls.ts';

const acl = {
  resourceType: 'TOPIC',
  resourceName: 'orders',
  patternType: 'LITERAL',
  principal: 'User:alice',
  host: '*',
  operation: 'READ',
  permission: 'ALLOW',
};
const open = { resourceType: 'ANY', resourceName: null, patternType: 'MATCH', principal: null, host: null };
const filter = { ...open, operation: 'ANY', permission: 'ANY' };

const cases: [method: keyof typeof aclCalls, args: unknown[], problem: RegExp | undefined][] = [
  ['createAcls', [[acl, { ...acl, patternType: 'PREFIXED', permission: 'DENY' }]], undefined],
  ['createAcls', [[{ ...acl, resourceType: 'ANY' }]], /not one of TOPIC/],
  ['createAcls', [[{ ...acl, operation: 'ANY' }]], /not one of ALL/],
  ['createAcls', [[{ ...acl, patternType: 'MATCH' }]], /not one of LITERAL/],
  ['createAcls', [[{ ...acl, permission: 'MAYBE' }]], /not one of DENY/],
  ['createAcls', [[{ ...acl, host: null }]], /not a text/],
  ['deleteAcls', [[filter, acl]], undefined],
  ['deleteAcls', [[{ ...filter, patternType: 'SUFFIXED' }]], /not one of ANY, MATCH/],
  ['describeAcls', [filter], undefined],
  ['describeAcls', [{ ...filter, principal: 7 }], /not a text/],
];

for (const [method, args, problem] of cases) {
  test(`${method} over the wire: ${problem ?? 'accepted'}`, () => {
    const { body } = decodeFrame(encodeFrame('call', 1, { method, args }), callLimits);
    const found = aclCalls[method].args((body as { args: unknown }).args, 'args');
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', problem);
  });
}
