export { consumerStage } from './consumer-stage.ts';
export { httpStage } from './http-stage.ts';
export {
  json,
  logStage,
  lokiBytes,
  otlpBytes,
  otlpRequest,
  protobuf,
  stringValue,
  timeMs,
  timeNs,
  timeText,
} from './log-stage.ts';
export { type AgentUnderTest, startAgentUnderTest } from './running-agent.ts';
export { asker, startRegistry } from './start-registry.ts';
