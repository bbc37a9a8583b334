export { agentSource, type EventRecord } from './envelope.ts';
export { eventEnvelope } from './envelope-schema.ts';
export { fieldsOf, filterFieldsOf } from './event-fields.ts';
export { EventIds } from './event-id.ts';
export { eventMessage } from './event-message.ts';
export type {
  ByteRange,
  EventSource,
  EventTopic,
  RawPage,
  SidecarRef,
} from './event-source.ts';
export {
  type EventTypeName,
  eventTypeNames,
  eventTypes,
  eventTypesIn,
  isEventTypeName,
} from './event-types.ts';
export { type BuilderGroup, builderToFilter, filterToBuilder } from './filter/builder.ts';
export { neededBytes } from './filter/bytes.ts';
export { compileFilter, type EventTest } from './filter/compile.ts';
export { filterParser } from './filter/language.ts';
export { parseFilter } from './filter/parse.ts';
export { printField, printFilter, printLiteral } from './filter/print.ts';
export { type Problem, pointAt } from './filter/problem.ts';
export { eventFiltersPage } from './filter/reference-page.ts';
export {
  type Condition,
  conditionsOf,
  everyEvent,
  type Field,
  type Filter,
  type Membership,
  words,
} from './filter/tree.ts';
export { isPresetOffered, presets } from './presets.ts';
export type {
  EventPosition,
  EventRow,
  FieldSummary,
  QueryAnswer,
  QueryRequest,
  QueryStats,
  SearchAnswer,
  SearchRequest,
  Timeline,
  TimelineRequest,
} from './query/request.ts';
export { controlPlaneSource, type EventData, eventTopicName, serializeEvent } from './record.ts';
export { eventsPage } from './reference-page.ts';
export {
  defaultRange,
  offeredRanges,
  resolveTimeRange,
  type TimeRange,
  type TimeWindow,
} from './time-range.ts';
