import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operations } from './catalogue.ts';
import { errorsOf, errorTable } from './errors.ts';
import { printJson } from './json.ts';
import { openApiDocument } from './openapi.ts';
import { otherRoutes } from './other-routes.ts';
import { pathOf } from './paths.ts';

interface Method {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly description?: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: object }[];
  readonly requestBody?: { content: Record<string, { schema: object; example: unknown }> };
  readonly responses: Record<string, { description: string; content?: object; headers?: object }>;
}

interface Document {
  readonly openapi: string;
  readonly tags: readonly { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
}

// The document is served as JSON, so the test checks the JSON.
const document = JSON.parse(printJson(openApiDocument())) as Document;
const methods = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, described]) => ({ path, method, described })),
);

function* valuesCalled(key: string, value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === key) yield inner;
    yield* valuesCalled(key, inner);
  }
}

test('the document has every operation and every other route', () => {
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(Object.keys(document.paths), [
    ...operations.map(pathOf),
    ...otherRoutes.map(({ path }) => path),
  ]);
  for (const operation of operations) {
    const expected = operation.access === 'read' ? ['get', 'post'] : ['post'];
    assert.deepEqual(Object.keys(document.paths[pathOf(operation)]!), expected, operation.name);
  }
});

test('references resolve, and every definition is used', () => {
  const references = [...valuesCalled('$ref', document)] as string[];
  assert.ok(references.length > 100);
  const used = new Set(references.map((reference) => /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1]));
  assert.deepEqual([...used].sort(), Object.keys(document.components.schemas).sort());
  assert.deepEqual([...valuesCalled('$defs', document)], []);
});

test('operation ids are unique words', () => {
  const ids = methods.map(({ described }) => described.operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[a-z][a-z0-9_]*$/);
});

test('every method has what the standard requires', () => {
  const schemes = Object.keys(document.components.securitySchemes);
  const tags = document.tags.map(({ name }) => name);
  for (const { path, method, described } of methods) {
    const where = `${method} ${path}`;
    for (const status of Object.keys(described.responses)) assert.match(status, /^[1-5]\d\d$/, where);
    for (const { description } of Object.values(described.responses)) assert.ok(description !== '', where);
    assert.ok('200' in described.responses, where);
    for (const tag of described.tags ?? []) assert.ok(tags.includes(tag), where);
    for (const scheme of described.security.flatMap(Object.keys)) assert.ok(schemes.includes(scheme), where);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    const named = (described.parameters ?? []).filter((parameter) => parameter.in === 'path');
    assert.deepEqual(
      named.map(({ name }) => name),
      inPath,
      where,
    );
    for (const { required } of named) assert.equal(required, true, where);
    // A body with GET has no meaning.
    if (method === 'get') assert.equal(described.requestBody, undefined, where);
  }
});

test('schemas are valid JSON Schema', () => {
  const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
  for (const type of valuesCalled('type', document.components.schemas)) {
    // A field may be named "type", and then it is a schema.
    if (typeof type === 'string') assert.ok(types.includes(type), type);
  }
  for (const pattern of valuesCalled('pattern', document)) {
    if (typeof pattern === 'string') assert.doesNotThrow(() => new RegExp(pattern, 'u'), pattern);
  }
  const marks = [...valuesCalled('wire', document)];
  assert.deepEqual(marks, []);
});

test('each error is listed under its status', () => {
  for (const operation of operations) {
    const { responses } = document.paths[pathOf(operation)]!.post!;
    for (const code of errorsOf(operation)) {
      const response = responses[errorTable[code].status];
      assert.ok(response?.description.includes(`\`${code}\``), `${operation.name} ${code}`);
    }
    assert.ok(responses['429']?.headers !== undefined);
  }
});

test('only public operations need no key', () => {
  const open = operations.filter(
    (operation) => document.paths[pathOf(operation)]!.post!.security.length === 0,
  );
  assert.deepEqual(
    open.map(({ name }) => name),
    ['users/accept_invitation', 'get_sign_in_methods', 'setup', 'sign_in'],
  );
});

test('durations in nanoseconds are integers of 64 bits', () => {
  const schema =
    document.paths['/api/v1/update_events_state']!.post!.requestBody!.content['application/json']!.schema;
  const [duration] = [...valuesCalled('retention_period_nanos', schema)];
  assert.deepEqual(duration, {
    type: 'integer',
    format: 'int64',
    minimum: 1,
    description: 'How long events of the type are kept, in nanoseconds.',
  });
});
