import type { EventTypeName } from './event-types.ts';
import type { EventData } from './record.ts';

interface EmitOptions {
  /** When it happened; default: now. */
  readonly timeMs?: number;
}

/**
 * Emits events for the components of an agent. It never throws and never blocks; events that cannot be written are
 * counted.
 */
export interface EventEmitter {
  /** Whether events of the type are wanted. Check it if building the data is expensive. */
  isOn(type: EventTypeName): boolean;
  /** Does nothing while the type is off. */
  emit(type: EventTypeName, data: EventData, options?: EmitOptions): void;
}
