/** What those who emit events need, and nothing that takes long to load. */
export { agentSource, type EventRecord } from './envelope.ts';
export { newEventId } from './event-id.ts';
export { type EventTypeName, eventTypeNames, eventTypes, isEventTypeName } from './event-types.ts';
export {
  type CommonData,
  commonData,
  controlPlaneSource,
  type EventData,
  type EventHead,
  eventTopicName,
  serializeEvent,
  serializeEventText,
} from './record.ts';
