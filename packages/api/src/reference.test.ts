import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operations } from './catalogue.ts';
import { type JsonSchema, outputSchemaOf } from './json-schema.ts';
import { apiPage } from './reference.ts';

const page = apiPage();

test('the page on disk matches the catalogue', () => {
  const url = new URL('../../../docs/reference/api.md', import.meta.url);
  assert.ok(readFileSync(url, 'utf8') === page, 'docs/reference/api.md is out of date; run npm run docs');
});

test('every link on the page leads somewhere', () => {
  const anchors = new Set(
    [...page.matchAll(/^#+ (.+)$/gm)].map((match) =>
      match[1]!
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1]!);
  assert.ok(links.length > operations.length);
  for (const link of links) assert.ok(anchors.has(link), link);
});

test('every row of a table has as many cells as the header', () => {
  let columns: number | undefined;
  for (const line of page.split('\n')) {
    if (!line.startsWith('|')) columns = undefined;
    else {
      const cells = line.split(/(?<!\\)\|/).length;
      columns ??= cells;
      assert.equal(cells, columns, line);
    }
  }
});

/** Returns the names of all fields of a schema, with their paths. */
function namesOf({ properties, items, anyOf, additionalProperties }: JsonSchema, path = ''): string[] {
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const whole = path === '' ? name : `${path}.${name}`;
    return [whole, ...namesOf(field, whole)];
  });
  const others = (anyOf ?? []).flatMap((one) => namesOf(one, path));
  const entries = typeof additionalProperties === 'object' ? namesOf(additionalProperties, `${path}.*`) : [];
  return [...fields, ...others, ...entries, ...(items === undefined ? [] : namesOf(items, `${path}[]`))];
}

test('the page has every field of every answer, with its type and description', () => {
  const sections = new Map(page.split(/^### /m).map((text) => [text.split('\n', 1)[0]!, text]));
  let fields = 0;
  const assertIn = (title: string, schema: JsonSchema, heading: string) => {
    const rows = sections.get(title)?.split(`| ${heading} | Type | Meaning |`)[1] ?? '';
    for (const name of namesOf(schema)) {
      const row = rows.split('\n').find((line) => line.replaceAll(/[`?]/g, '').startsWith(`| ${name} |`));
      assert.match(row ?? '', /^\|[^|]+\| \S.* \| \S.* \|$/, `${title}: ${name}`);
      assert.doesNotMatch(row!, /\| anything \|/, `${title}: ${name}`);
      fields++;
    }
  };
  for (const operation of operations) {
    const schema = outputSchemaOf(operation);
    assertIn(operation.name, schema, 'Answer');
    for (const [record, described] of Object.entries(schema.$defs ?? {}))
      assertIn(record, described, 'Field');
  }
  assert.ok(fields > 500);
});
