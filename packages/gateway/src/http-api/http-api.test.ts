import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpStage } from '@weir/agent/testing';
import { Metrics, systemClock } from '@weir/core';
import type { JsonSchema, RouteDefinition } from '@weir/http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { dataRoutes } from '../http-data/data-routes.ts';
import {
  topicRecordsDefinition,
  unsubscribeDefinition,
} from '../http-data/rest-proxy/consumers/consumer-definitions.ts';
import { intakeRoutes } from '../log-intake/intake-routes.ts';
import { httpDefinitions } from './http-api.ts';
import { httpRoutes } from './http-routes.ts';
import { openApiDocument } from './openapi.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters: readonly { name: string; in: string; required?: boolean }[];
  readonly requestBody?: { content: Record<string, { schema: JsonSchema }> };
  readonly responses: Record<string, { description: string; content?: object }>;
}

interface Document {
  readonly tags: readonly { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}

// The document is served as JSON, so the test checks the JSON.
const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

const named = ({ method, path }: Pick<RouteDefinition, 'method' | 'path'>) => `${method} ${path}`;

function assertFits(schema: JsonSchema, value: unknown, what: string): void {
  const isValid = ajv.compile(schema);
  assert.ok(isValid(value), `${what}: ${ajv.errorsText(isValid.errors)}\n${JSON.stringify(value)}`);
}

/** The same schema, but objects have no other fields. */
function closed(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema;
  if (items !== undefined) return { ...schema, items: closed(items) };
  if (properties === undefined) return schema;
  const inner = Object.entries(properties).map(([name, field]) => [name, closed(field)]);
  return { ...schema, properties: Object.fromEntries(inner), additionalProperties: false };
}

test('every route has a definition, every definition a route, and the document has them all', () => {
  const probed = { hasStarted: true, problem: () => undefined };
  const routed = [
    ...dataRoutes,
    ...intakeRoutes,
    ...httpRoutes({ probed, metrics: new Metrics(), clock: systemClock, debug: () => undefined }),
  ].map(named);
  assert.deepEqual(httpDefinitions.map(named).toSorted(), routed.toSorted());
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(documented.toSorted(), routed.toSorted());
});

test('every operation has what the standard requires', () => {
  const schemes = Object.keys(document.components.securitySchemes);
  const ids = new Set<string>();
  for (const [path, item] of Object.entries(document.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`;
      const { operationId, parameters, responses } = operation;
      assert.match(operationId, /^[a-z][a-z0-9_]*$/);
      assert.ok(!ids.has(operationId), where);
      ids.add(operationId);
      const ofPath = parameters.filter(({ in: place }) => place === 'path');
      assert.deepEqual(ofPath.map(({ name }) => name).toSorted(), inPath.toSorted(), where);
      for (const { required } of ofPath) assert.equal(required, true, where);
      for (const [status, { description }] of Object.entries(responses)) {
        assert.match(status, /^[1-5]\d\d$/, where);
        assert.notEqual(description, '', where);
      }
      for (const scheme of operation.security.flatMap(Object.keys))
        assert.ok(schemes.includes(scheme), where);
      for (const tag of operation.tags)
        assert.ok(
          document.tags.some(({ name }) => name === tag),
          where,
        );
    }
  }
});

test('examples fit their schemas', () => {
  for (const { id, body, answer, parameters = {}, example } of httpDefinitions) {
    if (body?.schema !== undefined) assertFits(closed(body.schema), example.body, `body of ${id}`);
    else assert.equal(example.body, undefined, id);
    if (answer.schema !== undefined && example.answer !== undefined)
      assertFits(closed(answer.schema), example.answer, `answer of ${id}`);
    for (const { schema } of Object.values(parameters)) ajv.compile(schema);
  }
});

test('the examples work, and the answers of an agent fit their schemas', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('orders', 1);
  const data = httpDefinitions.filter(({ access }) => access === 'data');
  // Some of them read what others write.
  const [writes, reads] = [data.filter(isWrite), data.filter((definition) => !isWrite(definition))];
  for (const { id, method, answer, example } of [...writes, ...reads]) {
    // `fetch` sends no body with GET.
    if (method === 'GET' && example.body !== undefined) continue;
    // It takes an instance that reads nothing else, and those before it have assigned partitions.
    if (id === topicRecordsDefinition.id) await call('DELETE', unsubscribeDefinition.example.target);
    const { status, headers, json } = await call(method, example.target, example.body, example.headers);
    assert.equal(status, answer.status ?? 200, `${id}: ${JSON.stringify(json)}`);
    assert.equal(headers.get('content-type'), answer.types[0] ?? null, id);
    if (answer.schema !== undefined) assertFits(closed(answer.schema), json, `answer of ${id}`);
  }
});

function isWrite({ right = '' }: RouteDefinition): boolean {
  return right.startsWith('`WRITE`');
}

test('bounds of integers are those that requests are checked by', async (t) => {
  const { cluster, call } = await httpStage(t);
  cluster.addTopic('orders', 1);
  let checked = 0;
  for (const { id, method, body, example } of httpDefinitions) {
    if (body?.schema === undefined || method === 'GET') continue;
    for (const { place, value } of outOfBounds(body.schema, [])) {
      const changed = structuredClone(example.body);
      if (!set(changed, place, value)) continue;
      const { status, json } = await call(method, example.target, changed, example.headers);
      assert.ok(status === 400 || status === 422, `${id} ${place.join('.')} ${value}: ${status}`);
      assert.ok(json.message.includes(place.at(-1)), json.message);
      checked++;
    }
  }
  assert.ok(checked > 12, String(checked));
});

/** Places of integers with bounds, and values beyond them that JSON can have. */
function* outOfBounds(
  { properties = {}, items, minimum, maximum }: JsonSchema,
  place: readonly string[],
): Generator<{ readonly place: readonly string[]; readonly value: number }> {
  if (minimum !== undefined) yield { place, value: minimum - 1 };
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) yield { place, value: maximum + 1 };
  if (items !== undefined) yield* outOfBounds(items, [...place, '0']);
  for (const [name, field] of Object.entries(properties)) yield* outOfBounds(field, [...place, name]);
}

/** Sets a field. Returns false if the object that should have it is absent. */
function set(target: unknown, place: readonly string[], value: number): boolean {
  const [name, ...rest] = place;
  if (typeof target !== 'object' || target === null || name === undefined) return false;
  const fields = target as Record<string, unknown>;
  if (rest.length > 0) return set(fields[name], rest, value);
  fields[name] = value;
  return true;
}

test('an agent serves the document without a login', async (t) => {
  const { call } = await httpStage(t, {
    sasl: { isRequired: true, passwordMechanisms: ['PLAIN'], sessionMsMax: 0 },
  });
  const { status, headers, json } = await call('GET', '/v1/openapi.json');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/json');
  assert.deepEqual(json, document);
});
