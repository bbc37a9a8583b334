import type { Deps } from '../deps.ts';
import type { LifeTally } from './life-tally.ts';

/** Dependencies shared by everything in one simulated month. */
export interface LifeDeps extends Deps {
  readonly counts: LifeTally;
  /** Waits, by timers. */
  wait(ms: number): Promise<void>;
}
