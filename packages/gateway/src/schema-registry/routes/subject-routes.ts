import {
  deleted,
  deletedOnly,
  findTags,
  format,
  normalize,
  paging,
  permanent,
  referenceFormat,
  schemaBody,
} from './parameters.ts';
import { type RouteRow, route } from './route.ts';

const readSubject = { on: 'subject', operation: 'READ' } as const;
const writeSubject = { on: 'subject', operation: 'WRITE' } as const;
const deleteSubject = { on: 'subject', operation: 'DELETE' } as const;
const describeSubject = { on: 'subject', operation: 'DESCRIBE' } as const;

/** `/subjects`: subjects and their versions. */
export const subjectRoutes: readonly RouteRow[] = [
  route({
    operation: 'list_subjects',
    endpoint: 'GET /subjects',
    summary: 'Lists subjects.',
    query: {
      ...paging,
      subjectPrefix: {
        type: 'text',
        help: 'Only subjects with this prefix. Default: `:*:`, those of all contexts.',
      },
      deleted,
      deletedOnly,
    },
    needs: { on: 'listed', operation: 'DESCRIBE' },
    serve: (service, { query, isAllowed }) => service.listSubjects({ ...query, isAllowed }),
  }),
  route({
    operation: 'look_up_schema',
    endpoint: 'POST /subjects/{subject}',
    summary: 'Finds the version that has a schema.',
    query: { normalize, format, deleted },
    body: schemaBody,
    needs: readSubject,
    errors: ['subjectNotFound', 'schemaNotFound', 'invalidSchema'],
    serve: (service, { path, query, body, isAllowed }) =>
      service.lookUpSchema(path.subject, body, { ...query, isAllowed }),
  }),
  route({
    operation: 'delete_subject',
    endpoint: 'DELETE /subjects/{subject}',
    summary: 'Marks all versions as deleted, or removes them. Returns the versions.',
    query: { permanent },
    needs: deleteSubject,
    errors: [
      'subjectNotFound',
      'subjectSoftDeleted',
      'subjectNotSoftDeleted',
      'referenceExists',
      'operationNotPermitted',
    ],
    serve: (service, { path, query, isAllowed }) =>
      service.deleteSubject(path.subject, { ...query, isAllowed }),
  }),
  route({
    operation: 'get_latest_with_metadata',
    endpoint: 'GET /subjects/{subject}/metadata',
    summary: 'The latest version whose metadata has these properties.',
    query: {
      key: { type: 'list', help: 'Names of properties.' },
      value: { type: 'list', help: 'Their values, in the same order.' },
      format,
      deleted,
    },
    needs: readSubject,
    errors: ['subjectNotFound', 'versionNotFound'],
    serve: (service, { path, query: { key: keys, value: values, ...query } }) =>
      service.latestWithMetadata(path.subject, { ...query, keys, values }),
  }),
  route({
    operation: 'list_versions',
    endpoint: 'GET /subjects/{subject}/versions',
    summary: 'Lists versions.',
    query: {
      ...paging,
      deleted,
      deletedOnly,
      deletedAsNegative: {
        type: 'flag',
        help: 'Lists versions that are marked as deleted as negative numbers.',
      },
    },
    needs: describeSubject,
    errors: ['subjectNotFound'],
    serve: (service, { path, query }) => service.listVersions(path.subject, query),
  }),
  route({
    operation: 'register_schema',
    endpoint: 'POST /subjects/{subject}/versions',
    summary:
      'Registers a schema as a new version. A schema that the subject has already keeps its id and version.',
    query: { normalize, format, force: { type: 'flag', help: 'Skips the check of compatibility.' } },
    body: {
      ...schemaBody,
      id: 'The id, in mode IMPORT.',
      version: 'The version, in mode IMPORT.',
      schemaTagsToAdd: 'Tags to add inside of the schema.',
      schemaTagsToRemove: 'Tags to remove inside of the schema.',
      propagateSchemaTags: 'Whether tags of the previous version are taken over.',
    },
    needs: writeSubject,
    errors: [
      'incompatible',
      'invalidSchema',
      'operationNotPermitted',
      'idDoesNotMatch',
      'invalidSubject',
      'schemaTooLarge',
      'invalidRuleSet',
      'storeError',
      'timeout',
    ],
    serve: (service, { path, query, body, isAllowed }) =>
      service.register(path.subject, body, { ...query, isAllowed }),
  }),
  route({
    operation: 'get_version',
    endpoint: 'GET /subjects/{subject}/versions/{version}',
    summary: 'A version: a number, `latest` or `-1`.',
    query: { format, referenceFormat, deleted, findTags },
    needs: readSubject,
    errors: ['subjectNotFound', 'versionNotFound', 'invalidVersion'],
    serve: (service, { path, query, isAllowed }) =>
      service.version(path.subject, path.version, { ...query, isAllowed }),
  }),
  route({
    operation: 'get_version_text',
    endpoint: 'GET /subjects/{subject}/versions/{version}/schema',
    summary: 'The text of its schema alone.',
    query: { format, deleted },
    needs: readSubject,
    errors: ['subjectNotFound', 'versionNotFound', 'invalidVersion'],
    isRawText: true,
    serve: (service, { path, query, isAllowed }) =>
      service.versionText(path.subject, path.version, { ...query, isAllowed }),
  }),
  route({
    operation: 'list_referencing_ids',
    endpoint: 'GET /subjects/{subject}/versions/{version}/referencedby',
    summary: 'Lists ids of schemas that refer to the version.',
    query: { ...paging, deleted },
    needs: describeSubject,
    errors: ['subjectNotFound', 'versionNotFound', 'invalidVersion'],
    serve: (service, { path, query, isAllowed }) =>
      service.referencedBy(path.subject, path.version, { ...query, isAllowed }),
  }),
  route({
    operation: 'delete_version',
    endpoint: 'DELETE /subjects/{subject}/versions/{version}',
    summary: 'Marks a version as deleted, or removes it. Returns the version.',
    query: { permanent },
    needs: deleteSubject,
    errors: [
      'subjectNotFound',
      'versionNotFound',
      'invalidVersion',
      'versionSoftDeleted',
      'versionNotSoftDeleted',
      'referenceExists',
      'operationNotPermitted',
    ],
    serve: (service, { path, query, isAllowed }) =>
      service.deleteVersion(path.subject, path.version, { ...query, isAllowed }),
  }),
  route({
    operation: 'modify_tags',
    endpoint: 'POST /subjects/{subject}/versions/{version}/tags',
    summary: 'Registers a version with other tags, metadata or rules.',
    body: {
      tagsToAdd: 'Tags to add inside of the schema.',
      tagsToRemove: 'Tags to remove inside of the schema.',
      metadata: 'The metadata of the new version.',
      ruleSet: 'The rules of the new version.',
      rulesToMerge: 'Rules to add or to replace by name.',
      rulesToRemove: 'Names of rules to remove.',
      newVersion: 'The number of the new version.',
    },
    needs: writeSubject,
    errors: [
      'subjectNotFound',
      'versionNotFound',
      'invalidVersion',
      'invalidSchema',
      'operationNotPermitted',
    ],
    serve: (service, { path, body, isAllowed }) =>
      service.modifyTags(path.subject, path.version, body, { isAllowed }),
  }),
];
