export { type DocsPage, readDocumentation } from './docs/documentation.ts';
export { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint/endpoint.ts';
export { mcpRequestsRow, mcpToolCallsRow, mcpToolSecondsRow } from './endpoint/metric-rows.ts';
export { iconAt } from './icons.ts';
export { controlPlaneOffer, documentationOffer } from './offers.ts';
export { type Offer, type ServerSurroundings, serverMaker } from './protocol-server.ts';
export type { CallOperation } from './tools/asking.ts';
