import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denialsIn } from './denials.ts';

test('each denial is listed once, with the denials that were left out of the events', () => {
  const denial = (time: string, resource_name: string, suppressed?: number) => ({
    time,
    data: { principal: 'User:bob', operation: 'READ', resource_type: 'TOPIC', resource_name, suppressed },
  });
  const listed = denialsIn([denial('4', 'a', 11), denial('3', 'b'), { time: '2' }, denial('1', 'a', 12)]);
  assert.deepEqual(
    listed.map(({ time, times, question }) => [time, times, question.resource_name]),
    [
      ['4', 25, 'a'],
      ['3', 1, 'b'],
    ],
  );
});

test('a credential is shown by the name that a user gave to it', () => {
  const data = { operation: 'READ', resource_type: 'TOPIC', resource_name: 'a', principal: 'User:ccun_1' };
  for (const [credential_name, principal] of [
    ['partner', 'User:partner'],
    ['', 'User:ccun_1'],
    [undefined, 'User:ccun_1'],
  ])
    assert.equal(
      denialsIn([{ time: '1', data: { ...data, credential_name } }])[0]?.question.principal,
      principal,
    );
});
