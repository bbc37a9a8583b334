export { pagesBesideDocs, readDocumentation } from './docs/documentation.ts';
export { createEndpoint, type Endpoint } from './endpoint/endpoint.ts';
export { iconAt } from './icons.ts';
export { serverMaker } from './protocol-server.ts';
export { controlPlaneManifest, documentationManifest } from './server-manifests.ts';
export type { CallOperation } from './tools/tool-context.ts';
