import { deleted, findTags, format, ofContext, paging, referenceFormat } from './parameters.ts';
import { type RouteRow, route } from './route.ts';

const readSchema = { on: 'schema', operation: 'READ' } as const;

/** `/schemas`: schemas by id and GUID. */
export const schemaRoutes: readonly RouteRow[] = [
  route({
    operation: 'list_schema_types',
    endpoint: 'GET /schemas/types',
    summary: 'Lists types of schemas.',
    needs: { on: 'authenticated' },
    serve: (service) => service.schemaTypes(),
  }),
  route({
    operation: 'list_schemas',
    endpoint: 'GET /schemas',
    summary: 'Lists versions with their schemas, at most 1,000 at a time.',
    query: {
      ...paging,
      subjectPrefix: {
        type: 'text',
        help: 'Only subjects with this prefix. Default: those of the default context.',
      },
      aliases: { type: 'flag', help: 'Includes subjects that are aliases.' },
      deleted,
      latestOnly: { type: 'flag', help: 'Only the latest version of each subject.' },
      ruleType: { type: 'text', help: 'Only schemas with a rule of this type.' },
    },
    needs: { on: 'listed', operation: 'READ' },
    serve: (service, { query, isAllowed }) => service.listSchemas({ ...query, isAllowed }),
  }),
  route({
    operation: 'get_schema',
    endpoint: 'GET /schemas/ids/{id}',
    summary: 'The schema with an id.',
    query: {
      subject: ofContext,
      format,
      referenceFormat,
      findTags,
      fetchMaxId: { type: 'flag', help: 'Adds the largest id of the context.' },
    },
    needs: readSchema,
    errors: ['schemaNotFound'],
    serve: (service, { path, query, isAllowed }) => service.schemaById(path.id, { ...query, isAllowed }),
  }),
  route({
    operation: 'get_schema_text',
    endpoint: 'GET /schemas/ids/{id}/schema',
    summary: 'The text of the schema alone.',
    query: { subject: ofContext, format },
    needs: readSchema,
    errors: ['schemaNotFound'],
    isRawText: true,
    serve: (service, { path, query, isAllowed }) => service.schemaTextById(path.id, { ...query, isAllowed }),
  }),
  route({
    operation: 'list_schema_subjects',
    endpoint: 'GET /schemas/ids/{id}/subjects',
    summary: 'Lists subjects that have the schema.',
    query: { ...paging, subject: ofContext, deleted },
    needs: { on: 'listed', operation: 'DESCRIBE' },
    errors: ['schemaNotFound'],
    serve: (service, { path, query, isAllowed }) => service.subjectsOfId(path.id, { ...query, isAllowed }),
  }),
  route({
    operation: 'list_schema_versions',
    endpoint: 'GET /schemas/ids/{id}/versions',
    summary: 'Lists subjects that have the schema, with the versions.',
    query: { ...paging, subject: ofContext, deleted },
    needs: { on: 'listed', operation: 'DESCRIBE' },
    errors: ['schemaNotFound'],
    serve: (service, { path, query, isAllowed }) => service.versionsOfId(path.id, { ...query, isAllowed }),
  }),
  route({
    operation: 'get_schema_by_guid',
    endpoint: 'GET /schemas/guids/{guid}',
    summary: 'The schema with a GUID.',
    query: { format },
    needs: readSchema,
    errors: ['schemaNotFound'],
    serve: (service, { path, query, isAllowed }) => service.schemaByGuid(path.guid, { ...query, isAllowed }),
  }),
  route({
    operation: 'list_ids_of_guid',
    endpoint: 'GET /schemas/guids/{guid}/ids',
    summary: 'Lists the ids of the schema, by context.',
    needs: readSchema,
    errors: ['schemaNotFound'],
    serve: (service, { path, isAllowed }) => service.idsOfGuid(path.guid, { isAllowed }),
  }),
];
