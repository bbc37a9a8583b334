import { release } from '@weir/core';
import { sessionCookie, workspaceKeyHeader } from './authentication.ts';
import { areas } from './catalogue.ts';
import { type ErrorCode, errorsOf, errorTable } from './errors.ts';
import { inputSchemaOf, type JsonSchema, outputSchemaOf } from './json-schema.ts';
import { methodsOf, type Operation } from './operation.ts';
import { type OtherRoute, otherRoutes } from './other-routes.ts';
import { apiKeyHeader, pathOf } from './paths.ts';

type Json = Record<string, unknown>;

/** Returns the OpenAPI 3.1 description of the API, derived from the catalogue. */
export function openApiDocument(): Json {
  const schemas: Record<string, JsonSchema> = { Error: errorSchema };
  const paths: Record<string, Json> = {};
  for (const { title, operations } of areas) {
    for (const operation of operations) paths[pathOf(operation)] = pathItem(operation, title, schemas);
  }
  for (const route of otherRoutes) paths[route.path] = otherPathItem(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir control plane',
      version: release,
      description:
        'Every operation is called with POST and a JSON object; those that only read take GET with a query too. Clients ignore unknown fields of a response; fields that the server does not know in a request are refused.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: areas.map(({ title }) => ({ name: title })),
    paths,
    components: { schemas, securitySchemes },
  };
}

const errorSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong.',
  properties: {
    error: { type: 'string', maxLength: 64, description: 'The code, which stays the same.' },
    message: { type: 'string', maxLength: 4096, description: 'What happened, for people.' },
  },
  required: ['error', 'message'],
};

const securitySchemes = {
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: apiKeyHeader,
    description:
      'The only key of the caller, or an agent token of a workload identity, which reads its cluster as an agent key does.',
  },
  workspace_api_key: {
    type: 'apiKey',
    in: 'header',
    name: workspaceKeyHeader('<workspace_id>'),
    description: `A key for the workspace in the name of the header, once for each workspace. Not together with \`${apiKeyHeader}\`. The id may be written with hyphens, for proxies that drop names with underscores.`,
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The session cookie of a signed-in user.',
  },
  prometheus: {
    type: 'http',
    scheme: 'basic',
    description:
      'The user `prometheus`, and as its password an application key, an agent key or an agent token.',
  },
};

const callerSecurity = [{ api_key: [] }, { workspace_api_key: [] }, { session: [] }];

function pathItem(operation: Operation, area: string, schemas: Record<string, JsonSchema>): Json {
  const input = inputSchemaOf(operation);
  const output = hoisted(outputSchemaOf(operation), schemas);
  const operationId = operation.name.replaceAll('/', '_');
  const common = {
    tags: [area],
    summary: operation.title,
    description: [operation.summary, operation.description ?? ''].join(' ').trim(),
    security: operation.scope === 'public' ? [] : callerSecurity,
    'x-access': operation.access,
    'x-scope': operation.scope,
    responses: {
      '200': {
        description: 'Done.',
        content: { 'application/json': { schema: output, example: operation.example.output } },
      },
      ...errorResponses(errorsOf(operation)),
    },
  };
  const post = {
    operationId,
    ...common,
    requestBody: {
      required: (input.required ?? []).length > 0,
      content: {
        'application/json': { schema: hoisted(input, schemas), example: operation.example.input },
      },
    },
  };
  if (!methodsOf(operation).includes('GET')) return { post };
  const get = { operationId: `${operationId}_via_get`, ...common, parameters: queryParameters(input) };
  return { get, post };
}

function queryParameters({ properties = {}, required = [] }: JsonSchema): Json[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description,
    required: required.includes(name),
    schema,
  }));
}

/** The codes of one status share a response. */
function errorResponses(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
  const responses = [...byStatus].map(([status, sharing]): [string, Json] => [
    String(status),
    {
      description: sharing.map((code) => `\`${code}\`: ${errorTable[code].message}`).join(' '),
      ...(status === 429 ? { headers: retryAfter } : {}),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]);
  return Object.fromEntries(responses);
}

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
};

/** Moves shared definitions to the top of the document. Two of the same name have to be equal. */
function hoisted({ $defs = {}, ...schema }: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  for (const [name, found] of Object.entries($defs)) {
    const moved = relinked(found);
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(moved)) {
      throw new Error(`two records of the catalogue are called ${name}`);
    }
    schemas[name] = moved;
  }
  return relinked(schema);
}

function relinked(schema: JsonSchema): JsonSchema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/');
  return JSON.parse(text) as JsonSchema;
}

function otherPathItem({ path, summary, contentType, security }: OtherRoute): Json {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const parameters = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', maxLength: 136 },
  }));
  return {
    get: {
      operationId: path
        .replace(/\/\{\w+\}/g, '')
        .replace(/^\/(?:api\/v1\/)?/, '')
        .replace(/\W+/g, '_'),
      summary,
      parameters,
      security: security === 'none' ? [] : [{ [security]: [] }],
      responses: {
        '200': { description: 'Done.', content: { [contentType]: { schema: { type: 'string' } } } },
        ...(security === 'none' ? {} : errorResponses(['invalid_api_key', 'not_found'])),
      },
    },
  };
}
