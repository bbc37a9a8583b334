export { sessionCookie, workspaceKeyHeader, workspaceOfKeyHeader } from './authentication.ts';
export {
  type CallOf,
  catalogue,
  type InputOf,
  isOperationName,
  type OperationName,
  type OutputOf,
  operationNames,
  operations,
} from './catalogue.ts';
export { type CallOptions, type Client, type ClientOptions, createClient, type Fetch } from './client.ts';
export { cloudProviders, clusterTiers } from './cluster-rules.ts';
export { consolePaths, type EventSearchLink } from './console-paths.ts';
export { ApiError, type ErrorCode, errorCodes, errorsOf, errorTable } from './errors.ts';
export { type Nanoseconds, passwordCharsMin } from './fields.ts';
export {
  type ClusterType,
  clusterIdOf,
  clusterTypeNames,
  clusterTypeOf,
  clusterTypes,
  type IdKind,
  idOf,
  isId,
  kindOfId,
  namePrefixes,
  prefixed,
} from './ids.ts';
export { problemsInWords, readInput, readQuery } from './input.ts';
export { parseJson, parseJsonAs, printJson } from './json.ts';
export { secretFieldsOf } from './json-schema.ts';
export { type McpRead, mcpClientKinds, mcpConfiguration } from './mcp-configuration.ts';
export { openApiDocument } from './openapi.ts';
export { type Access, methodsOf, type Operation, scopes } from './operation.ts';
export type { AlertChannelKind } from './operations/alert-channels.ts';
export { topicTypes } from './operations/cluster-configuration.ts';
export { severities } from './operations/diagnostics.ts';
export type { EventResponse } from './operations/events.ts';
export type { CutOverHold, MigrationTopicState } from './operations/migrations.ts';
export type { TableHealth, TableHealthReason } from './operations/tables.ts';
export { otherRoutes } from './other-routes.ts';
export { apiKeyHeader, apiPath, docsMcpPath, mcpPath, pathOf } from './paths.ts';
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
export {
  type SchemaProblem,
  schemaProblems,
  unwrapped,
  type ValuePath,
  withSubject,
} from './schema-problems.ts';
