import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '@weir/api';
import * as z from 'zod';
import { writeTools } from '../writes/write-tools.ts';
import { tools } from './tools.ts';

/** Only tools have arguments for the form of answers, and lists that operations return whole are cut here. */
const ofAnswers = ['format', 'max_tokens', 'limit', 'cursor', 'dry_run'];

/**
 * Arguments that no operation of the tool has, each with the reason. They select from what operations return whole;
 * each that selects by a field has the name of the field, and the others explain themselves.
 */
const own: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  list_virtual_clusters: { type: 'field', query: 'part of the name' },
  list_clients: { outdated: 'versions older than others' },
  list_topics: { query: 'part of the name', without_schema: 'topics without a subject', sort_by: 'order' },
  list_credentials: { query: 'part of the name' },
  list_acls: { principal: 'field', resource_type: 'field', resource_name: 'field', operation: 'field' },
  list_pipelines: { query: 'part of the name' },
  list_event_fields: { query: 'part of the name' },
  search_events: { fields: 'columns of the table' },
  aggregate_events: { over_time: 'whether to return points' },
  compare_events: { selection: 'a search', baseline: 'a search' },
  move_migration: { action: 'which operation' },
};

/** The schema below `optional`, `default` and such. */
function plain(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
    ? plain(schema.unwrap() as z.ZodType)
    : schema;
}

/** Returns nested objects, and the items of lists. */
function shapesIn(schema: z.ZodType): Readonly<Record<string, z.ZodType>>[] {
  const inner = plain(schema);
  if (inner instanceof z.ZodArray) return shapesIn(inner.element as z.ZodType);
  if (!(inner instanceof z.ZodObject)) return [];
  const shape = inner.shape as Readonly<Record<string, z.ZodType>>;
  return [shape, ...Object.values(shape).flatMap(shapesIn)];
}

function kindOf(schema: z.ZodType): string {
  const { type } = plain(schema).def;
  return type === 'enum' || type === 'transform' || type === 'pipe' ? 'string' : type;
}

for (const { name, input, operations } of [...tools, ...writeTools]) {
  test(`${name} names its arguments as the API does`, () => {
    const inputs = operations.map(
      (operation) => catalogue[operation].input.shape as Record<string, z.ZodType>,
    );
    const outputs = operations.flatMap((operation) => shapesIn(catalogue[operation].output));
    const used = new Set<string>();
    const check = (argument: string, schema: z.ZodType, where: string) => {
      if (where === name && ofAnswers.includes(argument)) return;
      const reason = where === name ? own[name]?.[argument] : undefined;
      if (reason !== undefined) {
        used.add(argument);
        if (reason === 'field')
          assert.ok(
            outputs.some((shape) => argument in shape),
            `${where}.${argument}`,
          );
        if (reason === 'a search')
          for (const [part, inner] of Object.entries(shapesIn(schema)[0]!))
            check(part, inner, `${where}.${argument}`);
        return;
      }
      const same = inputs.flatMap((shape) => (shape[argument] === undefined ? [] : [shape[argument]]));
      assert.ok(same.length > 0, `${where}: no operation of it has ${argument}`);
      assert.ok(
        same.some((one) => kindOf(one) === kindOf(schema)),
        `${where}.${argument} is ${kindOf(schema)}`,
      );
      const [parts] = shapesIn(schema);
      if (parts === undefined) return;
      const known = same.flatMap((one) => Object.keys(shapesIn(one)[0] ?? {}));
      for (const part of Object.keys(parts)) assert.ok(known.includes(part), `${where}.${argument}.${part}`);
    };
    for (const [argument, schema] of Object.entries(input.shape as Record<string, z.ZodType>))
      check(argument, schema, name);
    assert.deepEqual([...used].sort(), Object.keys(own[name] ?? {}).sort(), 'unused exceptions');
  });
}
