import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import { priceNames } from '@weir/api/storage-costs';
import { costRows, priceOf, pricesText, readPrices, shortDollars } from './storage-figures.ts';

test('the rows of a bill add up to what the operation says', () => {
  const { output } = catalogue.describe_storage_costs.example;
  const rows = costRows(output as Parameters<typeof costRows>[0]);
  const sum = rows.reduce((total, { dollars }) => total + dollars, 0);
  assert.deepEqual(
    rows.map(({ label }) => label),
    ['Live files', 'Dead files', 'PUT', 'GET and HEAD', 'LIST', 'DELETE'],
  );
  assert.equal(sum.toFixed(2), output.costs.month.toFixed(2));
});

test('amounts below a cent have no digits', () => {
  assert.deepEqual([0, 0.0099, 0.01, 53.509].map(shortDollars), ['$0', '< $0.01', '$0.01', '$53.51']);
});

test('prices stand in the link', () => {
  const read = (text: string | undefined) => readPrices(text, priceNames);
  assert.deepEqual(read('put=0.004,get=0,other=1,list=x,delete=-1,disk=,storage=1001'), {
    put: 0.004,
    get: 0,
  });
  assert.deepEqual(read(undefined), {});
  assert.equal(pricesText({}), undefined);
  assert.equal(pricesText({ put: 0.004, get: 0 }), 'put=0.004,get=0');
  assert.deepEqual(['', ' ', '1e-3', 'NaN', '-0.1'].map(priceOf), [
    undefined,
    undefined,
    0.001,
    undefined,
    undefined,
  ]);
});
