/** What will happen when a migration begins, before it does. */
export { preflight } from './preflight.ts';
export type { OwnFacts, OwnTopic, SourceFactsRead } from './preflight-facts.ts';
export type {
  Finding,
  FindingSeverity,
  GroupOutcome,
  Preflight,
  TopicOutcome,
} from './preflight-result.ts';
export { readSourceFacts } from './read-source-facts.ts';
