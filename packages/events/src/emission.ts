/** What those who emit events need, and nothing that takes long to load. */
export { agentSource, type EventRecord } from './envelope.ts';
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
