/** The query engine as agents use it. It needs Node.js, unlike the rest of its package. */
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
