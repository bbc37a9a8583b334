import assert from 'node:assert/strict';
import { test } from 'node:test';
import { port } from '../values/numbers.ts';
import { text } from '../values/text.ts';
import { refusePlanned } from './availability.ts';
import { available, foreignVariable, planned } from './row.ts';
import { flagSpellings, variableSpellings } from './settings.ts';

const fields = {
  name: 'kafkaPort',
  type: port(),
  default: 9092,
  commands: ['agent'],
  help: 'A port.',
} as const;

test('a planned row is rejected until it becomes available', () => {
  const refusal = (row: typeof plannedRow) =>
    refusePlanned(new Map([[row.name, { row, spelling: '-kafkaPort', text: '1' }]]));
  const plannedRow = planned(fields);
  assert.deepEqual(refusal(plannedRow), { subject: '-kafkaPort', rule: 'not available in this release' });
  assert.equal(refusal(available(fields)), undefined);
});

test('the names of a row derive from its own', () => {
  const plain = planned(fields);
  assert.deepEqual(
    [flagSpellings(plain), variableSpellings(plain)],
    [['-kafkaPort'], ['SERVICE_KAFKA_PORT']],
  );

  const renamed = planned({ ...fields, env: 'SERVICE_PORT', deprecatedNames: ['-port', 'SERVICE_KP'] });
  assert.deepEqual(flagSpellings(renamed), ['-kafkaPort', '-port']);
  assert.deepEqual(variableSpellings(renamed), ['SERVICE_PORT', 'SERVICE_KP']);

  const foreign = foreignVariable({ name: 'POD_NAME', type: text(), commands: ['agent'], help: 'A pod.' });
  assert.deepEqual([flagSpellings(foreign), variableSpellings(foreign)], [[], ['POD_NAME']]);
});
