export { type DocsPage, readDocumentation } from './docs/documentation.ts';
export { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint/endpoint.ts';
export { mcpRequestsRow, mcpToolCallsRow, mcpToolSecondsRow } from './endpoint/metric-rows.ts';
export { iconAt } from './icons.ts';
export { type ServerDeps, type ServerManifest, serverMaker } from './protocol-server.ts';
export { controlPlaneManifest, documentationManifest } from './server-manifests.ts';
export type { CallOperation } from './tools/tool-context.ts';
