import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sensors } from './sensors.ts';

test('the sensor that was looked at longest ago is forgotten first', () => {
  let made = 0;
  const sensors = new Sensors(2, () => ++made);
  const steps: [key: string, sensor: number][] = [
    ['a', 1],
    ['b', 2],
    ['a', 1],
    ['c', 3],
    ['a', 1],
    ['b', 4],
    ['c', 5],
  ];
  for (const [key, sensor] of steps) assert.equal(sensors.of(key), sensor, key);
  assert.equal(sensors.count, 2);
});
