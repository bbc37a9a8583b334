export { apiKeyHeader, sessionCookie, workspaceKeyHeader, workspaceOfKeyHeader } from './authentication.ts';
export {
  areas,
  type CallOf,
  catalogue,
  type InputOf,
  isOperationName,
  type OperationCalled,
  type OperationName,
  type OutputOf,
  operationNames,
  operations,
} from './catalogue.ts';
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Fetch,
  type FetchAnswer,
  type FetchInit,
} from './client.ts';
export { consolePaths, type EventSearchLink, hasConsole } from './console-paths.ts';
export {
  ApiError,
  type ApiErrorOptions,
  codeOfStatus,
  commonErrors,
  type ErrorCode,
  type ErrorEnvelope,
  errorCodes,
  errorsOf,
  errorTable,
  isErrorCode,
  type OwnErrorCode,
} from './errors.ts';
export { type Nanoseconds, passwordCharsMin } from './fields.ts';
export {
  type ClusterType,
  clusterIdOf,
  clusterTypeNames,
  clusterTypeOf,
  clusterTypes,
  type IdKind,
  idKinds,
  idOf,
  isId,
  kindOfId,
  namePrefixes,
  prefixed,
} from './ids.ts';
export { printQuery, problemsInWords, readInput, readQuery } from './input.ts';
export { parseJson, printJson } from './json.ts';
export { brokenBound, type JsonBounds } from './json-bounds.ts';
export { inputSchemaOf, type JsonSchema, outputSchemaOf, secretFieldsOf } from './json-schema.ts';
export {
  docsMcpPath,
  type McpClientKind,
  type McpServers,
  mcpClientKinds,
  mcpConfiguration,
  mcpPath,
} from './mcp-configuration.ts';
export { openApiDocument } from './openapi.ts';
export { type Access, apiPath, methodsOf, type Operation, pathOf, type Scope, scopes } from './operation.ts';
export { grantNames, principalKinds, resourceKinds } from './operations/access-grants.ts';
export { actorKinds } from './operations/audit.ts';
export { topicTypes } from './operations/cluster-configuration.ts';
export { diagnosticTransitions, severities } from './operations/diagnostics.ts';
export type { EventResponse } from './operations/events.ts';
export { cloudProviders, clusterTiers, restorableDays } from './operations/virtual-clusters.ts';
export { type OtherRoute, otherRoutes } from './other-routes.ts';
export {
  type PipelineState,
  type PipelineType,
  pipelineEngineNote,
  pipelineStates,
  pipelineTypeNames,
  pipelineTypes,
  runnablePipelineTypes,
} from './pipeline-types.ts';
export { apiPage } from './reference.ts';
