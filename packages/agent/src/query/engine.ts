/** The query engine as agents use it. It needs Node, which the rest of its package does not. */
export type { ByteRange, EventSource, EventTopic, QueryRequest, RawPage, SidecarRef } from '@weir/events';
export {
  buildSidecar,
  createWorkerPool,
  type Evaluator,
  lowerPriorityOfThread,
  QueryCache,
  readQueryRequest,
  runQuery,
  type WorkerPool,
} from '@weir/events/query';
