/** The catalog that a configuration names for its tables: its fields, what is wrong with them, and what they mean. */
import { hash } from 'node:crypto';
import { isSecretReference } from '@weir/core';
import { mapping, oneOf, text } from '@weir/pipelines/yaml-schema';
import type { CatalogSettings, Credential } from '../table-definition.ts';

const variable = text.regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
  error: 'is not the name of an environment variable',
});
/** A secret never stands in a configuration itself. */
const secret = text.refine(isSecretReference, {
  error: `is no reference to a secret, such as \${secret:NAME}`,
});

export const catalogFields = mapping({
  type: oneOf(['bucket', 'rest', 'glue']),
  /** Levels are joined by dots; a database of Glue has one. */
  namespace: text.optional(),
  uri: text.optional(),
  warehouse: text.optional(),
  client_id: text.optional(),
  client_secret: secret.optional(),
  client_secret_env: variable.optional(),
  oauth_token_url: text.optional(),
  oauth_scope: text.optional(),
  token: secret.optional(),
  token_env: variable.optional(),
  sigv4_service: oneOf(['glue', 's3tables', 'execute-api']).optional(),
  region: text.optional(),
  catalog_id: text.optional(),
  endpoint_url: text.optional(),
  tls_ca_cert_env: variable.optional(),
});
export type CatalogFields = ReturnType<(typeof catalogFields)['parse']>;
type FieldName = keyof CatalogFields;

interface CatalogProblem {
  readonly field: FieldName | undefined;
  readonly rule: string;
}

const fieldsOf: Readonly<Record<CatalogFields['type'], readonly FieldName[]>> = {
  bucket: ['type'],
  rest: [
    'type',
    'namespace',
    'uri',
    'warehouse',
    'client_id',
    'client_secret',
    'client_secret_env',
    'oauth_token_url',
    'oauth_scope',
    'token',
    'token_env',
    'sigv4_service',
    'region',
    'tls_ca_cert_env',
  ],
  glue: ['type', 'namespace', 'region', 'catalog_id', 'endpoint_url', 'tls_ca_cert_env'],
};

export function* catalogProblems(fields: CatalogFields): Generator<CatalogProblem> {
  const { type } = fields;
  for (const name of Object.keys(fields) as FieldName[])
    if (fields[name] !== undefined && !fieldsOf[type].includes(name))
      yield { field: name, rule: `is not used with type ${type}` };
  if (type === 'bucket') return;
  yield* namespaceProblems(fields);
  yield* type === 'rest' ? restProblems(fields) : glueProblems(fields);
}

function* namespaceProblems({ type, namespace }: CatalogFields): Generator<CatalogProblem> {
  if (type === 'glue') {
    if (namespace === undefined)
      yield { field: undefined, rule: 'has no namespace; give the name of a database of Glue' };
    else if (!glueName.test(namespace))
      yield {
        field: 'namespace',
        rule: 'is not the name of a database of Glue: up to 255 small letters, digits and underscores',
      };
  } else if (namespace !== undefined && !/^[^.\p{Cc}]{1,255}(?:\.[^.\p{Cc}]{1,255}){0,9}$/u.test(namespace))
    yield { field: 'namespace', rule: 'is not up to 10 names that are joined by dots' };
}

function* restProblems(fields: CatalogFields): Generator<CatalogProblem> {
  const { uri, client_id, client_secret, client_secret_env, token, token_env, sigv4_service, region } =
    fields;
  if (uri === undefined) yield { field: undefined, rule: 'has no uri; give the address of the catalog' };
  for (const field of ['uri', 'oauth_token_url'] as const)
    if (fields[field] !== undefined && !isPlainUrl(fields[field]))
      yield { field, rule: 'is not an http:// or https:// URL without credentials, a query or a fragment' };
  const secrets = [client_secret, client_secret_env].filter((one) => one !== undefined).length;
  const tokens = [token, token_env].filter((one) => one !== undefined).length;
  if (secrets > 1)
    yield { field: 'client_secret', rule: 'stands beside client_secret_env; give one of them' };
  if (tokens > 1) yield { field: 'token', rule: 'stands beside token_env; give one of them' };
  if ((client_id === undefined) !== (secrets === 0))
    yield {
      field: undefined,
      rule: 'has one of client_id and its secret; give client_id with client_secret or client_secret_env',
    };
  if (client_id === undefined)
    for (const field of ['oauth_token_url', 'oauth_scope'] as const)
      if (fields[field] !== undefined) yield { field, rule: 'is used with client_id only' };
  const ways = [client_id ?? client_secret ?? client_secret_env, token ?? token_env, sigv4_service];
  if (ways.filter((one) => one !== undefined).length > 1)
    yield { field: undefined, rule: 'has several logins; give client_id, a token or sigv4_service' };
  if ((sigv4_service === undefined) !== (region === undefined))
    yield {
      field: undefined,
      rule: 'has one of sigv4_service and region; give both to sign requests, or none',
    };
  yield* regionProblems(fields);
}

function* glueProblems(fields: CatalogFields): Generator<CatalogProblem> {
  const { region, catalog_id, endpoint_url } = fields;
  if (region === undefined) yield { field: undefined, rule: 'has no region; give that of the Glue catalog' };
  yield* regionProblems(fields);
  if (catalog_id !== undefined && !/^[\w:./-]{1,255}$/.test(catalog_id))
    yield { field: 'catalog_id', rule: 'is not the id of a catalog, such as that of an account' };
  if (endpoint_url !== undefined && !isPlainUrl(endpoint_url))
    yield {
      field: 'endpoint_url',
      rule: 'is not an http:// or https:// URL without credentials, a query or a fragment',
    };
}

function* regionProblems({ region }: CatalogFields): Generator<CatalogProblem> {
  if (region !== undefined && !/^[a-z0-9-]{1,64}$/.test(region))
    yield { field: 'region', rule: 'is not a region of AWS, such as eu-west-1' };
}

export function isPlainUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((piece) => piece === '')
  );
}

/** Where tables are that name no namespace. */
const usualNamespace = 'default';
const glueName = /^[a-z0-9_]{1,255}$/;

/** What fields without problems mean; nothing for the catalog in the bucket. */
export function catalogSettings(fields: CatalogFields | undefined): CatalogSettings | undefined {
  if (fields === undefined || fields.type === 'bucket') return undefined;
  const { namespace = usualNamespace, region = '' } = fields;
  const common = {
    namespace: fields.type === 'glue' ? [namespace] : namespace.split('.'),
    authorities: credential(fields.tls_ca_cert_env),
    digest: digestOf(fields),
  };
  if (fields.type === 'glue')
    return {
      ...common,
      kind: 'glue',
      region,
      catalogId: fields.catalog_id,
      endpoint: fields.endpoint_url,
    };
  return { ...common, kind: 'rest', uri: fields.uri!, warehouse: fields.warehouse, auth: restAuth(fields) };
}

function restAuth(fields: CatalogFields): Extract<CatalogSettings, { kind: 'rest' }>['auth'] {
  const { client_id: clientId, sigv4_service: service, region } = fields;
  const token = credential(fields.token ?? fields.token_env);
  if (token !== undefined) return { type: 'bearer', token };
  if (clientId !== undefined)
    return {
      type: 'oauth2',
      clientId,
      clientSecret: credential(fields.client_secret ?? fields.client_secret_env)!,
      tokenUrl: fields.oauth_token_url,
      scope: fields.oauth_scope,
    };
  return service === undefined ? { type: 'none' } : { type: 'sigv4', service, region: region! };
}

function credential(name: string | undefined): Credential | undefined {
  return name === undefined ? undefined : { variable: name };
}

/** Of the place alone: with another login it is still the same catalog. */
function digestOf(fields: CatalogFields): string {
  const { type, uri, warehouse, namespace, region, catalog_id, endpoint_url } = fields;
  const place = [type, uri, warehouse, namespace ?? usualNamespace, region, catalog_id, endpoint_url];
  return hash('sha256', JSON.stringify(place.map((one) => one ?? null))).slice(0, 8);
}

/** The name of a table in a catalog. Glue has small letters, digits and underscores. */
export function nameInCatalog({ kind }: Pick<CatalogSettings, 'kind'>, tableName: string): string {
  return kind === 'glue' ? tableName.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_') : tableName;
}

/** The catalog of a task or a question, as JSON of its fields. */
export function parseCatalog(json: string | undefined): CatalogSettings | undefined {
  return json === undefined ? undefined : catalogSettings(catalogFields.parse(JSON.parse(json)));
}
