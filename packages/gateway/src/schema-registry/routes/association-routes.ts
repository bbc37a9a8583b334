import type { QueryShape } from '../request/query.ts';
import { paging } from './parameters.ts';
import { type RouteRow, route } from './route.ts';

const readable = { on: 'listed', operation: 'READ' } as const;

const filters = {
  resourceType: { type: 'text', help: 'Only those of resources of this type: `topic`.' },
  associationType: { type: 'list', help: 'Only those of `key` or `value`.' },
} as const satisfies QueryShape;
const listed = {
  ...paging,
  ...filters,
  lifecycle: { type: 'text', help: 'Only those that are `STRONG` or `WEAK`.' },
} as const satisfies QueryShape;
const dryRun = {
  dryRun: { type: 'flag', help: 'Checks the request, and changes nothing.' },
} as const satisfies QueryShape;

const context = {
  context: { type: 'text', help: 'The context of subjects that are given without one.' },
} as const satisfies QueryShape;
const resource = {
  resourceName: 'The name of the resource: that of a topic.',
  resourceNamespace: 'Where the name is unique: the id of a cluster.',
  resourceId: 'An id that the resource keeps if it is renamed.',
  resourceType: '`topic` (default).',
} as const;
const associated =
  '`{associationType: key or value, subject, lifecycle: STRONG or WEAK, frozen, schema, normalize}`';
const refusedChanges = [
  'incompatible',
  'tooManyAssociations',
  'associationForResourceExists',
  'associationForSubjectExists',
  'strongAssociationForSubjectExists',
  'noActiveSubjectVersionExists',
  'invalidSchema',
  'operationNotPermitted',
  'referenceExists',
  'invalidAssociation',
] as const;

/** `/associations`: which subject has the schemas of a resource, such as the values of a topic. */
export const associationRoutes: readonly RouteRow[] = [
  route({
    operation: 'list_associations_of_subject',
    endpoint: 'GET /associations/subjects/{subject}',
    summary: 'Lists the associations of a subject.',
    query: listed,
    needs: readable,
    serve: (service, { path, query: { associationType, ...query }, isAllowed }) =>
      service.listAssociations(
        { subject: path.subject },
        { ...query, associationTypes: associationType, isAllowed },
      ),
  }),
  route({
    operation: 'list_associations_of_resource',
    endpoint: 'GET /associations/resources/{resourceId}',
    summary: 'Lists the associations of a resource by its id.',
    query: listed,
    needs: readable,
    serve: (service, { path, query: { associationType, ...query }, isAllowed }) =>
      service.listAssociations(
        { resourceId: path.resourceId },
        { ...query, associationTypes: associationType, isAllowed },
      ),
  }),
  route({
    operation: 'list_associations_of_resource_name',
    endpoint: 'GET /associations/resources/{resourceNamespace}/{resourceName}',
    summary: 'Lists the associations of a resource by its name, as clients do for a topic. `-` is any name.',
    query: listed,
    needs: readable,
    serve: (service, { path, query: { associationType, resourceType = 'topic', ...query }, isAllowed }) =>
      service.listAssociations(
        { resourceNamespace: path.resourceNamespace, resourceName: path.resourceName },
        { ...query, resourceType, associationTypes: associationType, isAllowed },
      ),
  }),
  route({
    operation: 'create_associations',
    endpoint: 'POST /associations',
    summary: 'Associates a resource with subjects, and registers the schemas that come with it.',
    query: { ...context, ...dryRun },
    body: { ...resource, associations: `One or two of ${associated}.` },
    needs: { on: 'listed', operation: 'WRITE' },
    errors: refusedChanges,
    serve: (service, { query, body, isAllowed }) => service.createAssociations(body, { ...query, isAllowed }),
  }),
  route({
    operation: 'put_associations',
    endpoint: 'PUT /associations/resources/{resourceId}',
    summary:
      'Creates or updates associations of a resource with subjects: `WEAK` ones are created, and existing `STRONG` ones get a new schema.',
    query: { ...context, ...dryRun },
    body: { ...resource, associations: `One or two of ${associated}.` },
    needs: { on: 'listed', operation: 'WRITE' },
    errors: refusedChanges,
    serve: (service, { path, query, body, isAllowed }) =>
      service.putAssociations(path.resourceId, body, { ...query, isAllowed }),
  }),
  route({
    operation: 'batch_get_associations',
    endpoint: 'POST /associations:batchGet',
    summary: 'Lists the associations of many resources. Every request of the batch has its own result.',
    query: {
      includeSchemas: { type: 'flag', help: 'Returns the latest schemas of the subjects too.' },
    },
    body: {
      requests:
        'Some of `{resourceId, resourceName, resourceNamespace, resourceType, associationTypes, lifecycle}`, with an id or a name.',
    },
    status: 207,
    needs: readable,
    errors: ['invalidAssociation'],
    serve: (service, { query, body, isAllowed }) =>
      service.batchGetAssociations(body, { ...query, isAllowed }),
  }),
  route({
    operation: 'batch_mutate_associations',
    endpoint: 'POST /associations:batchMutate',
    summary: 'Changes the associations of many resources. Every request of the batch has its own result.',
    query: { ...context, ...dryRun },
    body: {
      requests: `Some of \`{resourceName, resourceNamespace, resourceId, resourceType, associations}\`, with one or two associations of \`{opType: CREATE, UPSERT or DELETE}\` and ${associated} or \`{associationType, cascadeLifecycle}\`.`,
    },
    status: 207,
    needs: { on: 'listed', operation: 'WRITE' },
    errors: ['invalidAssociation'],
    serve: (service, { query, body, isAllowed, isDeletable }) =>
      service.batchMutateAssociations(body, { ...query, isAllowed, isDeletable }),
  }),
  route({
    operation: 'delete_associations',
    endpoint: 'DELETE /associations/resources/{resourceId}',
    summary: 'Deletes the associations of a resource.',
    query: {
      ...filters,
      cascadeLifecycle: {
        type: 'flag',
        help: 'Also removes the subjects of strong associations, and associations that are frozen.',
      },
      ...dryRun,
    },
    needs: { on: 'listed', operation: 'DELETE' },
    errors: ['associationNotFound', 'associationFrozen', 'referenceExists', 'operationNotPermitted'],
    serve: (service, { path, query: { associationType, ...query }, isAllowed }) =>
      service.deleteAssociations(path.resourceId, { ...query, associationTypes: associationType, isAllowed }),
  }),
];
