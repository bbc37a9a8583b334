/** What members of classic groups need, apart from the rest of the package: a client loads no more. */
export {
  consumerProtocolType,
  type NamedPartitions,
  readAssignment,
  readSubscription,
  writeAssignment,
  writeSubscription,
} from './consumer-protocol.ts';
export { assignRanges, rangeAssignorName } from './range-assignor.ts';
export { assignInTurn, roundRobinAssignorName } from './round-robin-assignor.ts';
export {
  assignCooperatively,
  cooperativeStickyAssignorName,
  type OwningSubscriber,
} from './sticky-assignor.ts';
