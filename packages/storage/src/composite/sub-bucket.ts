import type { BreakerView } from '../decorators/circuit-breaker.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** One of the buckets behind `service_multi://` or `service_stripe://`, with decorators of its own. */
export interface SubBucket {
  /** Names it in metrics and log. The same in every process that lists it, and without secrets. */
  readonly name: string;
  readonly store: ObjectStore;
  readonly breaker: BreakerView;
}
