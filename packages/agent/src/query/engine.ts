/** The query engine as agents use it. It needs Node, which the rest of its package does not. */
export type { ByteRange, EventSource, EventTopic, QueryRequest, RawPage, SidecarRef } from '@weir/events';
export {
  buildSidecar,
  createInlineEvaluator,
  type Evaluator,
  QueryCache,
  runQuery,
} from '@weir/events/query';
