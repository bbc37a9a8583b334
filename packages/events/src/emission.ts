/** What emitters of events need. It excludes everything that is slow to load. */
export { agentSource, type EventRecord } from './envelope.ts';
export type { EventEmitter } from './event-emitter.ts';
export { EventIds } from './event-id.ts';
export { type EventTypeName, eventTypeNames, eventTypes, isEventTypeName } from './event-types.ts';
export {
  controlPlaneSource,
  type EventData,
  type EventHead,
  eventIdOpening,
  eventOpening,
  eventTopicName,
  serializeEvent,
} from './record.ts';
