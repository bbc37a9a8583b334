export { startLeader, startNode } from './leading-node.ts';
export { oneBatchFile } from './one-batch-file.ts';
export { until } from './until.ts';
