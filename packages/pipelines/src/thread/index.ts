export { PipelineHosts } from './pipeline-hosts.ts';
export { InstanceFailed, runInThread, type ThreadOwner } from './run-in-thread.ts';
export type { PipelineCounts, ThreadStart } from './thread-messages.ts';
