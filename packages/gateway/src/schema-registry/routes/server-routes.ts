import { paging } from './parameters.ts';
import { type RouteRow, route } from './route.ts';

const authenticated = { on: 'authenticated' } as const;

/** The server itself, and contexts. */
export const serverRoutes: readonly RouteRow[] = [
  route({
    operation: 'get_root',
    endpoint: 'GET /',
    summary: 'Checks that the registry responds.',
    needs: authenticated,
    serve: () => ({}),
  }),
  route({
    operation: 'post_root',
    endpoint: 'POST /',
    summary: 'The same.',
    needs: authenticated,
    serve: () => ({}),
  }),
  route({
    operation: 'get_cluster_id',
    endpoint: 'GET /v1/metadata/id',
    summary: 'The id of the cluster.',
    needs: authenticated,
    serve: (service) => service.clusterMetadata(),
  }),
  route({
    operation: 'get_release',
    endpoint: 'GET /v1/metadata/version',
    summary: 'The release of the server.',
    needs: authenticated,
    serve: (service) => service.versionMetadata(),
  }),
  route({
    operation: 'get_deployment',
    endpoint: 'GET /v1/metadata/deployment',
    summary: 'Attributes of the deployment.',
    needs: authenticated,
    serve: (service) => service.deploymentMetadata(),
  }),
  route({
    operation: 'list_contexts',
    endpoint: 'GET /contexts',
    summary: 'Lists contexts.',
    query: { ...paging, contextPrefix: { type: 'text', help: 'Only names with this prefix.' } },
    needs: { on: 'registry', operation: 'DESCRIBE' },
    serve: (service, { query }) => service.listContexts(query),
  }),
  route({
    operation: 'delete_context',
    endpoint: 'DELETE /contexts/{context}',
    summary: 'Deletes an empty context.',
    needs: { on: 'registry', operation: 'DELETE' },
    errors: ['contextNotEmpty', 'operationNotPermitted'],
    serve: (service, { path }) => service.deleteContext(path.context),
  }),
];
