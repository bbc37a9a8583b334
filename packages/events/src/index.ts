export {
  type AgentSource,
  agentSource,
  type EventRecord,
  envelopeContentType,
  envelopeVersion,
  readAgentSource,
} from './envelope.ts';
export { eventEnvelope } from './envelope-schema.ts';
export { envelopeFields, fieldsOf, filterFieldsOf } from './event-fields.ts';
export { EventIds } from './event-id.ts';
export { eventMessage } from './event-message.ts';
export {
  type EventField,
  type EventType,
  type EventTypeName,
  eventTypeNames,
  eventTypes,
  isEventTypeName,
} from './event-types.ts';
export {
  type BuilderGroup,
  type BuilderOperator,
  type BuilderProblem,
  type BuilderRow,
  type BuiltFilter,
  builderOperators,
  builderToFilter,
  emptyBuilder,
  filterToBuilder,
} from './filter/builder.ts';
export { type NeededBytes, type NeededClause, neededBytes } from './filter/bytes.ts';
export { compileFilter, type EventTest } from './filter/compile.ts';
export { matches } from './filter/evaluate.ts';
export { filterParser } from './filter/language.ts';
export { type ParsedFilter, type ParseOptions, parseFilter } from './filter/parse.ts';
export { printField, printFilter, printLiteral } from './filter/print.ts';
export { type Problem, pointAt } from './filter/problem.ts';
export { eventFiltersPage } from './filter/reference-page.ts';
export { type SearchFilter, switchMode } from './filter/search-filter.ts';
export {
  type Cast,
  type Comparison,
  type ComparisonOperator,
  type Condition,
  casts,
  comparisonOperators,
  conditionsOf,
  type Expression,
  everyEvent,
  type Field,
  type Filter,
  isJunction,
  type Junction,
  type Literal,
  type Match,
  type Membership,
  words,
} from './filter/tree.ts';
export { type Preset, presets } from './presets.ts';
export type {
  ByteRange,
  EventSource,
  EventTopic,
  RawPage,
  SidecarRef,
} from './query/port.ts';
export {
  type Aggregation,
  aggregations,
  type EstimateAnswer,
  type EstimateRequest,
  type EventAnswer,
  type EventPosition,
  type EventRequest,
  type EventRow,
  type FieldSummary,
  type FieldsAnswer,
  type FieldsRequest,
  type PartialReason,
  type QueryAnswer,
  type QueryProgress,
  type QueryRequest,
  type QueryScope,
  type QueryStats,
  type SearchAnswer,
  type SearchRequest,
  type SortOrder,
  type Timeline,
  type TimelineRequest,
  type TimelineSeries,
} from './query/request.ts';
export {
  controlPlaneSource,
  type EventData,
  type EventHead,
  type EventToWrite,
  eventTopicName,
  serializeEvent,
} from './record.ts';
export { eventsPage } from './reference-page.ts';
export {
  type DayRange,
  defaultRange,
  offeredRanges,
  type ResolvedRange,
  type ResolveOptions,
  resolveTimeRange,
  type TimeRange,
  type TimeRangeProblem,
  type TimeWindow,
} from './time-range.ts';
