import { readFileSync, watchFile } from 'node:fs';
import { systemEnvironment } from '@weir/core';

/**
 * Loaded with `--import` into a process to shift its wall clock. A file holds the offset in milliseconds. The monotonic
 * clock and timers are unchanged, as when the clock of a machine is set. It replaces the clock of the runtime, because
 * the bundled command (ADR 0034) has a `systemClock` of its own.
 */
const file = systemEnvironment.WEIR_FAULTS_CLOCK!;
const trueNowMs = Date.now.bind(Date);
const shiftMs = () => Number(readFileSync(file, 'utf8'));
let aheadMs = shiftMs();
watchFile(file, { persistent: false, interval: 100 }, () => {
  aheadMs = shiftMs();
});
Date.now = () => trueNowMs() + aheadMs;
