export { configResourceType } from '../src/configs/config-resources.ts';
export type { ServedApi } from '../src/dispatch/handler-table.ts';
export { ExchangeKey } from '../src/page-exchange/exchange-key.ts';
export { pageRoutes } from '../src/page-exchange/page-routes.ts';
export { PeerClient } from '../src/page-exchange/peer-client.ts';
export { PeerFailure } from '../src/page-exchange/peer-failure.ts';
export type { Load } from '../src/pressure/load-source.ts';
export { Page } from '../src/read-path/page.ts';
export type { ReceivedRequest } from '../src/requests/request-server.ts';
export type { KafkaListenerOptions } from '../src/serving/kafka-listener.ts';
export type { AppendOutcome } from '../src/write-path/produced-batch.ts';
export { failingMsMax } from '../src/write-path/write-health.ts';
export { testAgent } from './agent.ts';
export { countScans } from './counted-scans.ts';
export { batchOf, DataPath, produced, record, TestStore } from './data-path.ts';
export { type EventStage, type EventStageOptions, stageEvents } from './event-stage.ts';
export { commitOf } from './file-commit.ts';
export { type LeaderAgent, type ServedAgent, startLeaderAgent } from './leader-agent.ts';
export {
  addUser,
  bearerToken,
  logIn,
  logInByPassword,
  logInByScram,
  logInByToken,
  plainToken,
  type SaslAnswer,
  ScramClient,
  scramKeys,
} from './sasl-client.ts';
export { servingThreadsUnderTest, testWithServingThreads } from './serving-threads.ts';
export { answered, type RequestBody, type ResponseBody, startTestAgent } from './test-agent-server.ts';
export { codeOf, TestClient } from './test-client.ts';
export { startTestLeader } from './test-leader.ts';
export { errorName, TransactionalProducer } from './transactional-client.ts';
export { valueText } from './value-text.ts';
export { watchedPort } from './watched-port.ts';
