import { paging } from './parameters.ts';
import { type RouteRow, route } from './route.ts';

const authenticated = { on: 'authenticated' } as const;

/** The server itself, and contexts. */
export const serverRoutes: readonly RouteRow[] = [
  route({
    operation: 'get_root',
    method: 'GET',
    path: '/',
    summary: 'Whether the registry answers.',
    access: 'read',
    needs: authenticated,
    serve: () => ({}),
  }),
  route({
    operation: 'post_root',
    method: 'POST',
    path: '/',
    summary: 'The same.',
    access: 'read',
    needs: authenticated,
    serve: () => ({}),
  }),
  route({
    operation: 'get_cluster_id',
    method: 'GET',
    path: '/v1/metadata/id',
    summary: 'The id of the cluster.',
    access: 'read',
    needs: authenticated,
    serve: (service) => service.clusterMetadata(),
  }),
  route({
    operation: 'get_release',
    method: 'GET',
    path: '/v1/metadata/version',
    summary: 'The release of the server.',
    access: 'read',
    needs: authenticated,
    serve: (service) => service.versionMetadata(),
  }),
  route({
    operation: 'get_deployment',
    method: 'GET',
    path: '/v1/metadata/deployment',
    summary: 'What is known about the deployment.',
    access: 'read',
    needs: authenticated,
    serve: (service) => service.deploymentMetadata(),
  }),
  route({
    operation: 'list_contexts',
    method: 'GET',
    path: '/contexts',
    summary: 'Lists contexts.',
    query: { ...paging, contextPrefix: { type: 'text', help: 'How the names begin.' } },
    access: 'read',
    needs: { on: 'registry', operation: 'DESCRIBE' },
    serve: (service, { query }) => service.listContexts(query),
  }),
  route({
    operation: 'delete_context',
    method: 'DELETE',
    path: '/contexts/{context}',
    summary: 'Deletes an empty context.',
    access: 'write',
    needs: { on: 'registry', operation: 'DELETE' },
    errors: ['contextNotEmpty', 'operationNotPermitted'],
    serve: (service, { path }) => service.deleteContext(path.context),
  }),
];
