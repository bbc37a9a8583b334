import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GiB } from '@weir/core';
import { dollarText, priceListNames, priceLists, type StorageUse, storageCosts } from './storage-costs.ts';

const hourMs = 3_600_000;
const use: StorageUse = {
  spanMs: 73 * hourMs,
  ingestedBytes: 100 * GiB,
  requests: { put: 2_000, get: 50_000, list: 100, delete: 7_000 },
  liveBytes: 500 * GiB,
  deadBytes: 10 * GiB,
};
/** A tenth of a month was measured. */
const near = (actual: number | undefined, expected: number) =>
  assert.ok(Math.abs(actual! - expected) < 1e-9, `${actual} instead of ${expected}`);

test('requests are extrapolated to a month, and storage is not', () => {
  const costs = storageCosts(use, priceLists.s3.prices);
  near(costs.requestsMonth, 10 * (2 * 0.005 + 50 * 0.0004 + 0.1 * 0.005));
  near(costs.storageMonth, 510 * 0.023);
  near(costs.month, costs.requestsMonth + costs.storageMonth);
  near(costs.requestsPerGib, costs.requestsMonth / 1000);
  near(costs.perGib, costs.month / 1000);
});

test('Kafka with three replicas pays for zones and disks', () => {
  const { kafka } = storageCosts(use, priceLists.s3.prices);
  near(kafka.replicationMonth, 1000 * 2 * 0.02);
  near(kafka.producersMonth, (1000 * 2 * 0.02) / 3);
  near(kafka.disksMonth, (500 * 3 * 0.08) / 0.6);
  near(kafka.month, kafka.replicationMonth + kafka.producersMonth + kafka.disksMonth);
});

test('a cluster without traffic, or of this moment, has no price per GiB', () => {
  const { requestsPerGib, perGib, requestsMonth } = storageCosts(
    { ...use, ingestedBytes: 0 },
    priceLists.gcs.prices,
  );
  assert.deepEqual([requestsPerGib, perGib], [undefined, undefined]);
  assert.ok(requestsMonth > 0);
  const young = storageCosts({ ...use, spanMs: 0 }, priceLists.s3.prices);
  assert.deepEqual([young.requestsMonth, young.perGib, young.kafka.replicationMonth], [0, undefined, 0]);
});

test('price lists have every price, none of them negative, and the pages to compare them with', () => {
  for (const name of priceListNames) {
    const { prices, pages } = priceLists[name];
    for (const price of Object.values(prices)) assert.ok(price >= 0 && price < 1);
    for (const [title, page] of Object.entries(pages)) {
      assert.match(title, /^(?:Amazon|Google|Azure) /);
      assert.match(page, /^https:/);
    }
  }
});

test('dollars have as many digits as they need', () => {
  const texts = [0, 0.00004567, 0.1234, 0.5, 0.999, 1, 1234.567].map(dollarText);
  assert.deepEqual(texts, ['$0', '$0.0000457', '$0.123', '$0.5', '$1.00', '$1.00', '$1,234.57']);
});
