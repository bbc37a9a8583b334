export { addressKey } from './connections/address-key.ts';
export { agentHttpConnections, httpConnectionsCutRow } from './connections/agent-http-connections.ts';
export { ConnectionShares } from './connections/connection-shares.ts';
export { cutReasonsHelp, HttpConnections } from './connections/http-connections.ts';
export { type AnswerEncoding, preferredEncoding } from './server/answer-encoding.ts';
export { bodyTypeOf, preferredType } from './server/answer-type.ts';
export { drained } from './server/drained.ts';
export { FairShare } from './server/fair-share.ts';
export { isOfForeignPage } from './server/foreign-page.ts';
export { isHostMissing, refuseUnreadable, securityHeaders } from './server/http-answers.ts';
export {
  applyHttpDefaults,
  applyTlsDefaults,
  listen,
  serverLimits,
  socketDeadlineMs,
} from './server/http-defaults.ts';
export { HttpProblem, problemOf } from './server/http-problem.ts';
export { plain, type Route, startHttpListener } from './server/http-server.ts';
export { type Inflate, inflatedBody } from './server/inflated-body.ts';
export {
  base64OrNull,
  boundedInteger,
  type IntegerBounds,
  integer,
  type JsonSchema,
  list,
  object,
  orNull,
  text,
} from './server/json-schema.ts';
export { isLoopback } from './server/loopback.ts';
export { ownNamesOf, refusePages } from './server/page-guard.ts';
export { metricsDefinition, readyDefinition, statusDefinition } from './server/probe-definitions.ts';
export { metricsRoutes, type Probed, probeRoutes } from './server/probe-routes.ts';
export type { OwnNames } from './server/rebound-name.ts';
export { Refusals } from './server/refusals.ts';
export {
  type BodyFault,
  bodyText,
  faultText,
  jsonInTurns,
  readBody,
  withPauses,
} from './server/request-body.ts';
export { outcomeOf } from './server/request-outcome.ts';
export type { RouteDefinition } from './server/route-definition.ts';
export { allowedOf, type MatchedRoute, RouteTable } from './server/route-table.ts';
export { type Target, targetOf } from './server/target.ts';
