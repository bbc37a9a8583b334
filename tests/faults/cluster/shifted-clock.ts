import { readFileSync, watchFile } from 'node:fs';
import { systemClock, systemEnvironment } from '@weir/core';

/**
 * Loaded in front of a process (`--import`) whose wall clock shall jump. A file holds the milliseconds by which it is ahead. The time
 * that only runs forward, and timers, stay as they are, which is what happens when the clock of a machine is set.
 */
const file = systemEnvironment.WEIR_FAULTS_CLOCK!;
const trueNowMs = systemClock.nowMs.bind(systemClock);
const shiftMs = () => Number(readFileSync(file, 'utf8'));
let aheadMs = shiftMs();
watchFile(file, { persistent: false, interval: 100 }, () => {
  aheadMs = shiftMs();
});
Object.assign(systemClock, { nowMs: () => trueNowMs() + aheadMs });
