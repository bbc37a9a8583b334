import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipelineLimits } from '../limits.ts';
import { CountedMetrics } from './counted-metrics.ts';

test('what is counted is taken once, and bounded', () => {
  let begun = 0;
  const counted = new CountedMetrics(() => begun++);
  const many = 1_000;
  for (let at = 0; at < many; at++) {
    counted.processed(`stage ${at}`, 2, 1, 1, at);
    counted.processed('stage 0', 2, 1, 1, at);
    counted.settled(at);
    counted.limited(at % 2 === 0);
    counted.notSent();
  }
  assert.equal(begun, 1);
  const { stagesPerBeatMax, latenciesPerBeatMax, processorLatenciesPerBeatMax } = pipelineLimits;
  const { processors, settleMs, limitsChecked, limitsTriggered, failedBatches } = counted.take();
  assert.deepEqual([limitsChecked, limitsTriggered, failedBatches], [many, many / 2, many]);
  assert.equal(settleMs.length, latenciesPerBeatMax);
  assert.equal(processors.length, stagesPerBeatMax + 1);
  assert.deepEqual(
    processors.map(({ receivedBatches }) => receivedBatches).toSorted((one, other) => one - other),
    [...Array(stagesPerBeatMax - 1).fill(1), many - stagesPerBeatMax, many + 1],
  );
  for (const { received, receivedBatches, sent, tookMs } of processors) {
    assert.deepEqual([received, sent], [2 * receivedBatches, receivedBatches]);
    assert.equal(tookMs.length, Math.min(receivedBatches, processorLatenciesPerBeatMax));
  }
  assert.ok(counted.isEmpty);
  assert.deepEqual(counted.take().processors, []);
});
