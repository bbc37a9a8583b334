import { deleted, findTags, format, ofContext, paging, referenceFormat } from './parameters.ts';
import { type RouteRow, route } from './route.ts';
import { visiblePage } from './visible-page.ts';

const withVisibleSubject =
  (isVisible: (subject: string) => boolean) =>
  ({ subject }: { readonly subject: string }) =>
    isVisible(subject);

const readSchema = { on: 'schema', operation: 'READ' } as const;

/** `/schemas`: schemas by id and GUID. */
export const schemaRoutes: readonly RouteRow[] = [
  route({
    operation: 'list_schema_types',
    method: 'GET',
    path: '/schemas/types',
    summary: 'Lists types of schemas.',
    access: 'read',
    needs: { on: 'authenticated' },
    serve: (service) => service.schemaTypes(),
  }),
  route({
    operation: 'list_schemas',
    method: 'GET',
    path: '/schemas',
    summary: 'Lists versions with their schemas, at most 1,000 at a time.',
    query: {
      ...paging,
      subjectPrefix: { type: 'text', help: 'How subjects begin. Default: those of the default context.' },
      aliases: { type: 'flag', help: 'Includes subjects that are aliases.' },
      deleted,
      latestOnly: { type: 'flag', help: 'Only the latest version of each subject.' },
      ruleType: { type: 'text', help: 'Only schemas with a rule of this type.' },
    },
    access: 'read',
    needs: { on: 'listed', operation: 'READ' },
    serve: (service, { query, isVisible }) =>
      visiblePage(query, isVisible && withVisibleSubject(isVisible), (page) =>
        service.listSchemas({ ...query, ...page }),
      ),
  }),
  route({
    operation: 'get_schema',
    method: 'GET',
    path: '/schemas/ids/{id}',
    summary: 'The schema with an id.',
    query: {
      subject: ofContext,
      format,
      referenceFormat,
      findTags,
      fetchMaxId: { type: 'flag', help: 'Adds the largest id of the context.' },
    },
    access: 'read',
    needs: readSchema,
    errors: ['schemaNotFound'],
    serve: (service, { path, query }) => service.schemaById(path.id, query),
  }),
  route({
    operation: 'get_schema_text',
    method: 'GET',
    path: '/schemas/ids/{id}/schema',
    summary: 'Its text alone.',
    query: { subject: ofContext, format },
    access: 'read',
    needs: readSchema,
    errors: ['schemaNotFound'],
    isRawText: true,
    serve: (service, { path, query }) => service.schemaTextById(path.id, query),
  }),
  route({
    operation: 'list_schema_subjects',
    method: 'GET',
    path: '/schemas/ids/{id}/subjects',
    summary: 'Lists subjects that have the schema.',
    query: { ...paging, subject: ofContext, deleted },
    access: 'read',
    needs: { on: 'listed', operation: 'DESCRIBE' },
    errors: ['schemaNotFound'],
    serve: (service, { path, query, isVisible }) =>
      visiblePage(query, isVisible, (page) => service.subjectsOfId(path.id, { ...query, ...page })),
  }),
  route({
    operation: 'list_schema_versions',
    method: 'GET',
    path: '/schemas/ids/{id}/versions',
    summary: 'Lists subjects that have the schema, with the versions.',
    query: { ...paging, subject: ofContext, deleted },
    access: 'read',
    needs: { on: 'listed', operation: 'DESCRIBE' },
    errors: ['schemaNotFound'],
    serve: (service, { path, query, isVisible }) =>
      visiblePage(query, isVisible && withVisibleSubject(isVisible), (page) =>
        service.versionsOfId(path.id, { ...query, ...page }),
      ),
  }),
  route({
    operation: 'get_schema_by_guid',
    method: 'GET',
    path: '/schemas/guids/{guid}',
    summary: 'The schema with a GUID.',
    query: { format },
    access: 'read',
    needs: readSchema,
    errors: ['schemaNotFound'],
    serve: (service, { path, query }) => service.schemaByGuid(path.guid, query),
  }),
  route({
    operation: 'list_ids_of_guid',
    method: 'GET',
    path: '/schemas/guids/{guid}/ids',
    summary: 'Lists the ids of the schema, by context.',
    access: 'read',
    needs: readSchema,
    errors: ['schemaNotFound'],
    serve: (service, { path }) => service.idsOfGuid(path.guid),
  }),
];
