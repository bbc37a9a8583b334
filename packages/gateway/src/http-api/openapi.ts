import { release } from '@weir/core';
import type { RouteDefinition } from '@weir/http';
import { integer, type JsonSchema, object, text } from '@weir/http';
import { errorsOf, httpAreas } from './http-api.ts';

type Json = Record<string, unknown>;

/** Returns the OpenAPI 3.1 document of an agent's HTTP port. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const { title, routes } of httpAreas) {
    for (const route of routes) {
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, title) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Weir agent',
      version: release,
      description: 'Records over HTTP, probes and metrics of an agent.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: httpAreas.map(({ title }) => ({ name: title })),
    paths,
    components: { schemas: { Error: errorSchema }, securitySchemes },
  };
}

const errorSchema = object({
  error_code: integer('The HTTP status, or a more precise code that begins with it.'),
  message: text('What is wrong, in one line.'),
});

const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'A credential of the cluster.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A token of the issuer that the agent trusts.' },
};

/** Without a login a caller is anonymous, unless the agent requires one. */
const callerSecurity = [{ basic: [] }, { bearer: [] }, {}];

const clientIdParameter = {
  name: 'kafka-client-id',
  in: 'header',
  description: 'The client id, for quotas, logs and events.',
  schema: { type: 'string', maxLength: 256 },
};

function operationOf(definition: RouteDefinition, area: string): Json {
  const { id, summary, right, access, body, parameters = {}, clientId } = definition;
  const given = Object.entries(parameters).map(([name, { in: place, isRequired = false, schema }]) => {
    const { description, ...rest } = schema;
    return {
      name,
      in: place,
      required: isRequired || place === 'path',
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
  return {
    operationId: id,
    tags: [area],
    summary,
    ...(right === undefined ? {} : { description: `Right: ${right}` }),
    security: access === 'open' ? [] : callerSecurity,
    parameters: clientId === undefined ? given : [...given, withDefault(clientIdParameter, clientId)],
    ...(body === undefined ? {} : { requestBody: requestBodyOf(definition, body) }),
    responses: { ...answerOf(definition), ...errorResponses(definition) },
  };
}

function withDefault<Parameter extends { readonly schema: object }>(
  parameter: Parameter,
  value: string,
): Json {
  return { ...parameter, schema: { ...parameter.schema, default: value } };
}

function requestBodyOf({ example }: RouteDefinition, body: NonNullable<RouteDefinition['body']>): Json {
  const used = example.headers?.['content-type'] ?? body.types[0];
  const content = body.types.map((type): [string, Json] => [
    type,
    {
      schema: body.schema ?? binary,
      ...(type === used && example.body !== undefined ? { example: example.body } : {}),
    },
  ]);
  return { required: true, content: Object.fromEntries(content) };
}

const binary: JsonSchema = {};

function answerOf({ answer, example }: RouteDefinition): Json {
  const { status = 200, types, schema = { type: 'string' }, description } = answer;
  const entry = { schema, ...(example.answer === undefined ? {} : { example: example.answer }) };
  const content = Object.fromEntries(types.map((type) => [type, entry]));
  return { [status]: { description, ...(types.length === 0 ? {} : { content }) } };
}

function errorResponses(definition: RouteDefinition): Json {
  const content =
    definition.access === 'open'
      ? { 'text/plain; charset=utf-8': { schema: { type: 'string' } } }
      : { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const responses = Object.entries(errorsOf(definition)).map(([status, description]) => [
    status,
    { description, content },
  ]);
  return Object.fromEntries(responses) as Json;
}
