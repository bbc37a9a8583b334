export { callNames } from '../src/calls/cluster-calls.ts';
export { eventCalls } from '../src/calls/event-calls.ts';
export type { QuotaChange } from '../src/calls/principal-calls.ts';
export { agentDescription } from './agent-description.ts';
export { agentReport } from './agent-report.ts';
export { credentialsOf } from './credentials.ts';
export { type BatchToCommit, fileCommit } from './file-commit.ts';
