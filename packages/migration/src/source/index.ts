/**
 * Another Kafka cluster, from 2.0 on, as its clients see it. Nothing here writes to it. Answers are not trusted: what
 * was not asked for is left out, and numbers that are no offsets are refused.
 */

export { type BatchStart, batchStarts } from './batch-starts.ts';
export { type AskedEpoch, type EpochEnd, epochEnds } from './epoch-ends.ts';
export { type LogEnds, logEnds, type NoLogEnds } from './log-ends.ts';
export { openSource } from './open-source.ts';
export {
  type FetchedRaw,
  type FetchFailure,
  type FetchPosition,
  fetchRaw,
  type RawAnswer,
  type RawFetchLimits,
  type RefusedFetch,
} from './raw-fetch.ts';
export { type SourceAcls, sourceAcls } from './source-acls.ts';
export { SourceCluster, type SourceOptions } from './source-cluster.ts';
export { brokerConfigs, type SourceConfig, type TopicConfigs, topicConfigs } from './source-configs.ts';
export type { Credential, SourceCredentials, SourceMechanism } from './source-credentials.ts';
export {
  type SourceCommit,
  type SourceCommits,
  type SourceGroup,
  type SourceGroups,
  sourceCommits,
  sourceGroups,
} from './source-groups.ts';
export { type CredentialStore, type SourceLogin, sourceLogin } from './source-login.ts';
export { type ProbedBroker, probeSource, type SourceProbe } from './source-probe.ts';
export { sourceProblem } from './source-problem.ts';
export { type SourcePartition, type SourceTopic, type SourceTopics, sourceTopics } from './source-topics.ts';
