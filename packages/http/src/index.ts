export { agentHttpConnections, httpConnectionsCutRow } from './agent-http-connections.ts';
export { type AnswerEncoding, preferredEncoding } from './answer-encoding.ts';
export { bodyTypeOf, preferredType } from './answer-type.ts';
export { addressKey } from './connections/address-key.ts';
export { ConnectionShares } from './connections/connection-shares.ts';
export { cutReasonsHelp, HttpConnections } from './connections/http-connections.ts';
export { drained } from './drained.ts';
export { isOfForeignPage } from './foreign-page.ts';
export { isHostMissing, refuseUnreadable, securityHeaders } from './http-answers.ts';
export {
  applyHttpDefaults,
  applyTlsDefaults,
  listen,
  serverLimits,
  socketDeadlineMs,
} from './http-defaults.ts';
export { HttpProblem } from './http-problem.ts';
export { type HttpListener, plain, type Route, startHttpListener } from './http-server.ts';
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
} from './json-schema.ts';
export { isLoopback } from './loopback.ts';
export { ownNamesOf, refusePages } from './page-guard.ts';
export { metricsDefinition, readyDefinition, statusDefinition } from './probe-definitions.ts';
export { metricsRoutes, type Probed, probeRoutes } from './probe-routes.ts';
export type { OwnNames } from './rebound-name.ts';
export { Refusals } from './refusals.ts';
export { outcomeOf } from './request-outcome.ts';
export type { RouteDefinition } from './route-definition.ts';
export { allowedOf, type MatchedRoute, RouteMatcher } from './route-matcher.ts';
export { type Target, targetOf } from './target.ts';
