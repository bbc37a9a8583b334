import assert from 'node:assert/strict';
import { test } from 'node:test';
import { column, list, schemaOf, struct } from '../../testing/schemas.ts';
import {
  mappedId,
  nameMappingOf,
  parseNameMapping,
  printNameMapping,
  updateNameMapping,
} from './name-mapping.ts';

const schema = schemaOf(
  column(1, 'id!', 'int'),
  column(2, 'user', struct(column(3, 'name', 'string'))),
  column(4, 'tags', list(5, 'int')),
);
const golden =
  '[{"field-id":1,"names":["id"]},{"field-id":2,"names":["user"],"fields":[{"field-id":3,"names":["name"]}]},' +
  '{"field-id":4,"names":["tags"],"fields":[{"field-id":5,"names":["element"]}]}]';

test('a mapping is printed and read', () => {
  assert.equal(printNameMapping(nameMappingOf(schema)), golden);
  assert.equal(printNameMapping(parseNameMapping(golden)), golden);
  assert.throws(() => parseNameMapping('{}'), /must be a list/);
  assert.throws(() => parseNameMapping('[{"names":[1]}]'), /\[0\]\.names\[0\]: must be a string/);
});

test('columns of files are found by any name that they had', () => {
  // `name` became `login`, and a new column has the name `user` at the top.
  const renamed = schemaOf(
    column(1, 'key!', 'int'),
    column(2, 'person', struct(column(3, 'login', 'string'))),
    column(6, 'user', 'string'),
  );
  const mapping = updateNameMapping(nameMappingOf(schema), renamed);
  // path in a file, id
  const cases: [string, number | undefined][] = [
    ['id', 1],
    ['key', 1],
    ['person.name', 3],
    ['person.login', 3],
    ['user', 6],
    ['user.name', undefined],
    ['tags.element', 5],
    ['nothing', undefined],
  ];
  for (const [path, id] of cases) assert.equal(mappedId(mapping, path.split('.')), id, path);
});
