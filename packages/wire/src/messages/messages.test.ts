import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Fields, Shape } from '../schema/field.ts';
import { parseVersions } from '../schema/versions.ts';
import { apiByKey, apis } from './index.ts';

test('every definition file is in the table, under its own name and key', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => /^\d\d-.*(?<!\.test)\.ts$/.test(name));
  const expected = Object.values(apis).map(({ key, name }) => {
    const words = name.replaceAll(/(?!^)(?=[A-Z])/g, '-').toLowerCase();
    return `${String(key).padStart(2, '0')}-${words}.ts`;
  });
  assert.deepEqual(files, expected);
  for (const [name, api] of Object.entries(apis)) {
    assert.equal(api.name, name);
    assert.equal(apiByKey(api.key), api);
  }
  assert.equal(apiByKey(4), undefined);
});

test('definitions are consistent', () => {
  for (const api of Object.values(apis)) {
    assert.ok(api.highestStableVersion <= api.versions.highest, api.name);
    assert.ok(api.lowestAdvertisedVersion <= api.versions.lowest, api.name);
    for (const { name, fields } of [api.request, api.response]) check(fields as Fields, name);
  }

  function check(fields: Fields, path: string): void {
    const tags = Object.values(fields).flatMap(({ options }) => options.tag ?? []);
    assert.deepEqual(
      tags.toSorted((a, b) => a - b),
      tags.map((_, index) => index),
      `${path}: tags count up from 0`,
    );
    for (const [name, { shape, options }] of Object.entries(fields)) {
      if (options.versions !== undefined) parseVersions(options.versions);
      if (options.default === null)
        assert.ok(options.nullable, `${path}.${name}: a null default needs nullable`);
      checkShape(shape, `${path}.${name}`);
    }
  }

  function checkShape(shape: Shape, path: string): void {
    if (shape.kind === 'struct') check(shape.fields, path);
    if (shape.kind === 'array') checkShape(shape.element, path);
  }
});
