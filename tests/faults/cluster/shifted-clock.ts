import { readFileSync, watchFile } from 'node:fs';
import { systemClock, systemEnvironment } from '@weir/core';

/**
 * Loaded with `--import` into a process to shift its wall clock. A file holds the offset in milliseconds. The monotonic
 * clock and timers are unchanged, as when the clock of a machine is set.
 */
const file = systemEnvironment.WEIR_FAULTS_CLOCK!;
const trueNowMs = systemClock.nowMs.bind(systemClock);
const shiftMs = () => Number(readFileSync(file, 'utf8'));
let aheadMs = shiftMs();
watchFile(file, { persistent: false, interval: 100 }, () => {
  aheadMs = shiftMs();
});
Object.assign(systemClock, { nowMs: () => trueNowMs() + aheadMs });
