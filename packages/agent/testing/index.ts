export { testAgent } from './agent.ts';
export { batchOf } from './data-path.ts';
export { commitOf, type TestBatch } from './file-commit.ts';
export { type LeaderAgent, type ServedAgent, startLeaderAgent } from './leader-agent.ts';
export { type Permit, ScriptedAccess } from './scripted-access.ts';
export { answered, startTestAgent, type TestAgent, type TestAgentOptions } from './test-agent-server.ts';
export { codeOf, TestClient } from './test-client.ts';
export {
  errorName,
  fetchOnce,
  protocols,
  readAll,
  TransactionalProducer,
} from './transactional-client.ts';
export { pause, until } from './until.ts';
