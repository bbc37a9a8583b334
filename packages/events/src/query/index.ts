export { type BuildOptions, buildSidecar } from '../sidecar/build-sidecar.ts';
export { QueryCache } from './cache.ts';
export { createInlineEvaluator, type Evaluator } from './evaluator.ts';
export { lowerPriorityOfThread } from './low-priority.ts';
export { readQueryRequest } from './read-request.ts';
export type { Budget } from './receipt.ts';
export { type QueryOptions, runQuery } from './run-query.ts';
export { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';
