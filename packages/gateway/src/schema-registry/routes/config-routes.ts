import type { QueryShape } from '../request/query.ts';
import { normalize, schemaBody } from './parameters.ts';
import { type RouteRow, route } from './route.ts';

const configBody = {
  compatibility:
    '`NONE`, `BACKWARD`, `BACKWARD_TRANSITIVE`, `FORWARD`, `FORWARD_TRANSITIVE`, `FULL` or `FULL_TRANSITIVE`.',
  compatibilityPolicy: '`STRICT` or `LENIENT`, for JSON Schema. `LOGICAL` is as `STRICT`.',
  compatibilityGroup: 'A property of the metadata; only versions with the same value are compared.',
  normalize: 'Whether schemas are normalised.',
  validateFields: 'Whether names that metadata reserves are checked.',
  validateRules: 'Stored and returned.',
  validateNewSchemas:
    '`false`: new schemas may refer to versions that are marked as deleted. Names and defaults are always checked.',
  alias: 'The subject that this one is an alias of.',
  aliasForDeks: 'The subject whose keys this one uses.',
  defaultMetadata: 'Metadata for schemas that are registered without any.',
  overrideMetadata: 'Metadata that is set on every schema.',
  defaultRuleSet: 'Rules for schemas that are registered without any.',
  overrideRuleSet: 'Rules that are set on every schema.',
} as const;

const defaultToGlobal = {
  defaultToGlobal: { type: 'flag', help: 'Returns the effective value if the subject has none of its own.' },
} as const satisfies QueryShape;
const force = {
  force: { type: 'flag', help: 'Allows IMPORT while subjects exist.' },
} as const satisfies QueryShape;
const recursive = {
  recursive: { type: 'flag', help: 'Includes the modes of all subjects of the context.' },
} as const satisfies QueryShape;
const checkQuery = {
  verbose: { type: 'flag', help: 'Returns the incompatibilities too.' },
  normalize,
} as const satisfies QueryShape;

const ofSubject = { on: 'subject', operation: 'DESCRIBE_CONFIGS' } as const;
const toSubject = { on: 'subject', operation: 'ALTER_CONFIGS' } as const;
const ofRegistry = { on: 'registry', operation: 'DESCRIBE_CONFIGS' } as const;
const toRegistry = { on: 'registry', operation: 'ALTER_CONFIGS' } as const;

/** `/compatibility`, `/config` and `/mode`. The subject may be a context, as `:.context:`. */
export const configRoutes: readonly RouteRow[] = [
  route({
    operation: 'check_compatibility_with_version',
    endpoint: 'POST /compatibility/subjects/{subject}/versions/{version}',
    summary: 'Checks whether a schema is compatible with a version.',
    query: checkQuery,
    body: schemaBody,
    needs: { on: 'subject', operation: 'READ' },
    errors: ['versionNotFound', 'invalidVersion', 'invalidSchema'],
    serve: (service, { path, query, body }) =>
      service.checkCompatibility(path.subject, path.version, body, query),
  }),
  route({
    operation: 'check_compatibility',
    endpoint: 'POST /compatibility/subjects/{subject}/versions',
    summary: 'Checks whether a schema could be registered, by the compatibility level of the subject.',
    query: checkQuery,
    body: schemaBody,
    needs: { on: 'subject', operation: 'READ' },
    errors: ['invalidSchema'],
    serve: (service, { path, query, body }) =>
      service.checkCompatibility(path.subject, undefined, body, query),
  }),
  route({
    operation: 'get_config',
    endpoint: 'GET /config',
    summary: 'The global config.',
    query: defaultToGlobal,
    needs: ofRegistry,
    serve: (service, { query }) => service.config(undefined, query),
  }),
  route({
    operation: 'put_config',
    endpoint: 'PUT /config',
    summary: 'Updates the global config. Fields that the body lacks keep their values.',
    body: configBody,
    needs: toRegistry,
    errors: ['invalidCompatibilityLevel', 'operationNotPermitted'],
    serve: (service, { body }) => service.putConfig(undefined, body),
  }),
  route({
    operation: 'delete_config',
    endpoint: 'DELETE /config',
    summary: 'Resets it.',
    needs: toRegistry,
    errors: ['operationNotPermitted'],
    serve: (service) => service.deleteConfig(undefined),
  }),
  route({
    operation: 'get_subject_config',
    endpoint: 'GET /config/{subject}',
    summary: 'The config of a subject.',
    query: defaultToGlobal,
    needs: ofSubject,
    errors: ['subjectHasNoConfig'],
    serve: (service, { path, query }) => service.config(path.subject, query),
  }),
  route({
    operation: 'put_subject_config',
    endpoint: 'PUT /config/{subject}',
    summary: 'Updates the config of a subject, which need not exist.',
    body: configBody,
    needs: toSubject,
    errors: ['invalidCompatibilityLevel', 'operationNotPermitted', 'invalidSubject'],
    serve: (service, { path, body }) => service.putConfig(path.subject, body),
  }),
  route({
    operation: 'delete_subject_config',
    endpoint: 'DELETE /config/{subject}',
    summary: 'Removes it.',
    needs: toSubject,
    errors: ['subjectHasNoConfig', 'operationNotPermitted'],
    serve: (service, { path }) => service.deleteConfig(path.subject),
  }),
  route({
    operation: 'get_mode',
    endpoint: 'GET /mode',
    summary: 'The global mode.',
    query: defaultToGlobal,
    needs: ofRegistry,
    serve: (service, { query }) => service.mode(undefined, query),
  }),
  route({
    operation: 'put_mode',
    endpoint: 'PUT /mode',
    summary: 'Sets the global mode: `READWRITE`, `READONLY`, `READONLY_OVERRIDE`, `IMPORT` or `FORWARD`.',
    query: force,
    body: { mode: 'The mode.' },
    needs: toRegistry,
    errors: ['invalidMode', 'operationNotPermitted', 'referenceExists'],
    serve: (service, { query, body }) => service.putMode(undefined, body, query),
  }),
  route({
    operation: 'delete_mode',
    endpoint: 'DELETE /mode',
    summary: 'Resets it.',
    query: recursive,
    needs: toRegistry,
    errors: ['operationNotPermitted'],
    serve: (service, { query }) => service.deleteMode(undefined, query),
  }),
  route({
    operation: 'get_subject_mode',
    endpoint: 'GET /mode/{subject}',
    summary: 'The mode of a subject.',
    query: defaultToGlobal,
    needs: ofSubject,
    errors: ['subjectHasNoMode'],
    serve: (service, { path, query }) => service.mode(path.subject, query),
  }),
  route({
    operation: 'put_subject_mode',
    endpoint: 'PUT /mode/{subject}',
    summary: 'Sets it.',
    query: force,
    body: { mode: 'The mode.' },
    needs: toSubject,
    errors: ['invalidMode', 'operationNotPermitted', 'referenceExists', 'invalidSubject'],
    serve: (service, { path, query, body }) => service.putMode(path.subject, body, query),
  }),
  route({
    operation: 'delete_subject_mode',
    endpoint: 'DELETE /mode/{subject}',
    summary: 'Removes it.',
    query: recursive,
    needs: toSubject,
    errors: ['subjectHasNoMode', 'operationNotPermitted'],
    serve: (service, { path, query }) => service.deleteMode(path.subject, query),
  }),
];
