import { type CostListener, httpRequest, listed, nested, ownConnection } from '../listener.ts';
import type { Addresses } from '../served-process.ts';

function register(schemaType: string, schema: string): Buffer {
  return httpRequest(
    '/compatibility/subjects/s/versions/latest?verbose=true',
    JSON.stringify({ schemaType, schema }),
  );
}

/** Registers a JSON Schema, and returns its id. */
export async function registerSchema(
  { registry }: Addresses,
  subject: string,
  schema: object,
): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${registry}/subjects/${subject}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ownConnection },
    body: JSON.stringify({ schemaType: 'JSON', schema: JSON.stringify(schema) }),
  });
  const made = (await response.json()) as { readonly id?: number };
  if (made.id === undefined) throw new Error(`there is no schema: ${JSON.stringify(made)}`);
  return made.id;
}

/** The schema registry. */
export const registryListener: CostListener = {
  name: 'registry',
  bytesMax: 2 << 20,
  portOf: ({ registry }) => registry,
  async prepare(addresses) {
    for (const subject of ['s', 'wide']) await registerSchema(addresses, subject, { type: 'object' });
  },
  seeds: () => [
    {
      name: 'Avro: fields of a record',
      sizes: { fields: 50, nameLength: 4 },
      build: ({ fields, nameLength }) =>
        register(
          'AVRO',
          `{"type":"record","name":"R","fields":[${listed(fields!, (index) => `{"name":"f${String(index).padStart(nameLength!, '0')}","type":"int"}`)}]}`,
        ),
    },
    {
      name: 'Avro: nesting of unions and arrays',
      sizes: { depth: 5 },
      build: ({ depth }) => register('AVRO', nested(depth!, '{"type":"array","items":', '}', '"int"')),
    },
    {
      name: 'JSON Schema: properties',
      sizes: { properties: 50 },
      build: ({ properties }) =>
        register(
          'JSON',
          `{"type":"object","properties":{${listed(properties!, (index) => `"p${index}":{"type":"string","minLength":1}`)}}}`,
        ),
    },
    {
      name: 'JSON Schema: references that double',
      sizes: { levels: 4 },
      build: ({ levels }) =>
        register(
          'JSON',
          `{"$defs":{${listed(levels!, (index) => `"d${index}":{"allOf":[{"$ref":"#/$defs/d${index + 1}"},{"$ref":"#/$defs/d${index + 1}"}]}`)},"d${levels}":{"minProperties":1}},"$ref":"#/$defs/d0"}`,
        ),
    },
    {
      name: 'JSON Schema: alternatives',
      sizes: { schemas: 10, names: 2 },
      build: ({ schemas, names }) =>
        register(
          'JSON',
          `{"oneOf":[${listed(schemas!, (index) => `{"properties":{${listed(names!, (name) => `"p${index}_${name}":{"minLength":${index}}`)}}}`)}]}`,
        ),
    },
    {
      name: 'Protobuf: fields and messages',
      sizes: { messages: 5, fields: 5 },
      build: ({ messages, fields }) =>
        register(
          'PROTOBUF',
          `syntax = "proto3"; ${listed(messages!, (index) => `message M${index} {${listed(fields!, (field) => `int32 f${field} = ${field + 1};`).replaceAll(',', ' ')}}`).replaceAll(',', ' ')}`,
        ),
    },
    {
      name: 'references',
      sizes: { references: 10 },
      build: ({ references }) =>
        httpRequest(
          '/subjects/s',
          JSON.stringify({
            schema: '{}',
            schemaType: 'JSON',
            references: Array.from({ length: references! }, (_, index) => ({
              name: `n${index}`,
              subject: 's',
              version: 1,
            })),
          }),
        ),
    },
    {
      name: 'body: distinct names',
      sizes: { names: 100 },
      build: ({ names }) =>
        httpRequest('/subjects/s/versions', `{${listed(names!, (index) => `"n${index}":1`)}}`),
    },
    {
      name: 'query parameters',
      sizes: { parameters: 10 },
      build: ({ parameters }) => httpRequest(`/subjects?${'deleted=true&'.repeat(parameters!)}`, undefined),
    },
    {
      name: 'pipelined requests',
      sizes: { requests: 10 },
      build: ({ requests }) =>
        Buffer.from(
          `${'GET /subjects HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests!)}GET /subjects HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
        ),
    },
  ],
};
