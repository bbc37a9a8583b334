import { algorithm, deleted, paging, permanent } from './parameters.ts';
import { type RouteRow, route } from './route.ts';

const read = { on: 'registry', operation: 'READ' } as const;
const write = { on: 'registry', operation: 'WRITE' } as const;
const remove = { on: 'registry', operation: 'DELETE' } as const;

const dekBody = {
  subject: 'The subject whose fields it encrypts.',
  version: 'Its version. Default: 1.',
  algorithm: '`AES128_GCM`, `AES256_GCM` (default) or `AES256_SIV`.',
  encryptedKeyMaterial: 'The key, encrypted by the key-encryption key.',
} as const;

/** `/dek-registry`: keys for the encryption of fields by clients. They are stored and returned, never used. */
export const keyRoutes: readonly RouteRow[] = [
  route({
    operation: 'list_keks',
    endpoint: 'GET /dek-registry/v1/keks',
    summary: 'Lists key-encryption keys.',
    query: {
      ...paging,
      deleted,
      subjectPrefix: { type: 'list', help: 'Only those with keys of subjects with this prefix.' },
    },
    needs: read,
    serve: (service, { query: { subjectPrefix, ...query } }) =>
      service.keys.listKeks({
        ...query,
        ...(subjectPrefix.length === 0 ? {} : { subjectPrefixes: subjectPrefix }),
      }),
  }),
  route({
    operation: 'create_kek',
    endpoint: 'POST /dek-registry/v1/keks',
    summary: 'Creates a key-encryption key: where it is, not the key.',
    body: {
      name: 'Its name.',
      kmsType: 'The key-management service.',
      kmsKeyId: 'The id of the key there.',
      kmsProps: 'Settings of the service.',
      doc: 'A description.',
      shared: 'Whether the registry may use it.',
    },
    needs: write,
    serve: (service, { body }) => service.keys.createKek(body),
  }),
  route({
    operation: 'get_kek',
    endpoint: 'GET /dek-registry/v1/keks/{name}',
    summary: 'A key-encryption key.',
    query: { deleted },
    needs: read,
    serve: (service, { path, query }) => service.keys.kek(path.name, query),
  }),
  route({
    operation: 'update_kek',
    endpoint: 'PUT /dek-registry/v1/keks/{name}',
    summary: 'Changes it.',
    body: {
      kmsProps: 'Settings of the service.',
      doc: 'A description.',
      shared: 'Whether the registry may use it.',
    },
    needs: write,
    serve: (service, { path, body }) => service.keys.updateKek(path.name, body),
  }),
  route({
    operation: 'delete_kek',
    endpoint: 'DELETE /dek-registry/v1/keks/{name}',
    summary: 'Marks it as deleted, or removes it.',
    query: { permanent },
    needs: remove,
    serve: (service, { path, query }) => service.keys.deleteKek(path.name, query),
  }),
  route({
    operation: 'undelete_kek',
    endpoint: 'POST /dek-registry/v1/keks/{name}/undelete',
    summary: 'Restores a key that is marked as deleted.',
    needs: write,
    serve: (service, { path }) => service.keys.undeleteKek(path.name),
  }),
  route({
    operation: 'test_kek',
    endpoint: 'POST /dek-registry/v1/keks/{name}/test',
    summary: 'Whether the registry can use the key.',
    needs: read,
    serve: (service, { path }) => service.keys.testKek(path.name),
  }),
  route({
    operation: 'list_dek_subjects',
    endpoint: 'GET /dek-registry/v1/keks/{name}/deks',
    summary: 'Lists subjects with data-encryption keys.',
    query: { ...paging, deleted, algorithm },
    needs: read,
    serve: (service, { path, query }) => service.keys.listDekSubjects(path.name, query),
  }),
  route({
    operation: 'create_dek',
    endpoint: 'POST /dek-registry/v1/keks/{name}/deks',
    summary: 'Creates a data-encryption key.',
    body: dekBody,
    needs: write,
    serve: (service, { path, body }) => service.keys.createDek(path.name, undefined, body),
  }),
  route({
    operation: 'create_subject_dek',
    endpoint: 'POST /dek-registry/v1/keks/{name}/deks/{subject}',
    summary: 'Creates a data-encryption key of a subject.',
    body: dekBody,
    needs: write,
    serve: (service, { path, body }) => service.keys.createDek(path.name, path.subject, body),
  }),
  route({
    operation: 'get_dek',
    endpoint: 'GET /dek-registry/v1/keks/{name}/deks/{subject}',
    summary: 'The first version of a data-encryption key.',
    query: { deleted, algorithm },
    needs: read,
    serve: (service, { path, query }) => service.keys.dek(path.name, path.subject, undefined, query),
  }),
  route({
    operation: 'delete_deks',
    endpoint: 'DELETE /dek-registry/v1/keks/{name}/deks/{subject}',
    summary: 'Marks all versions as deleted, or removes them.',
    query: { permanent, algorithm },
    needs: remove,
    serve: (service, { path, query }) => service.keys.deleteDek(path.name, path.subject, undefined, query),
  }),
  route({
    operation: 'undelete_deks',
    endpoint: 'POST /dek-registry/v1/keks/{name}/deks/{subject}/undelete',
    summary: 'Restores all versions that are marked as deleted.',
    query: { algorithm },
    needs: write,
    serve: (service, { path, query }) => service.keys.undeleteDek(path.name, path.subject, undefined, query),
  }),
  route({
    operation: 'list_dek_versions',
    endpoint: 'GET /dek-registry/v1/keks/{name}/deks/{subject}/versions',
    summary: 'Lists versions of a data-encryption key.',
    query: { ...paging, deleted, algorithm },
    needs: read,
    serve: (service, { path, query }) => service.keys.listDekVersions(path.name, path.subject, query),
  }),
  route({
    operation: 'get_dek_version',
    endpoint: 'GET /dek-registry/v1/keks/{name}/deks/{subject}/versions/{version}',
    summary: 'A version: a number, `latest` or `-1`.',
    query: { deleted, algorithm },
    needs: read,
    serve: (service, { path, query }) => service.keys.dek(path.name, path.subject, path.version, query),
  }),
  route({
    operation: 'delete_dek_version',
    endpoint: 'DELETE /dek-registry/v1/keks/{name}/deks/{subject}/versions/{version}',
    summary: 'Marks it as deleted, or removes it.',
    query: { permanent, algorithm },
    needs: remove,
    serve: (service, { path, query }) => service.keys.deleteDek(path.name, path.subject, path.version, query),
  }),
  route({
    operation: 'undelete_dek_version',
    endpoint: 'POST /dek-registry/v1/keks/{name}/deks/{subject}/versions/{version}/undelete',
    summary: 'Restores a key that is marked as deleted.',
    query: { algorithm },
    needs: write,
    serve: (service, { path, query }) =>
      service.keys.undeleteDek(path.name, path.subject, path.version, query),
  }),
];
