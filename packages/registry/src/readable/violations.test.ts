import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readViolations } from './violations.ts';

test('the messages of all formats are read', () => {
  const { violations, oldVersion } = readViolations([
    "{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'paid' at path '/fields/1' in the new schema has no default value and is missing in the old schema', additionalInfo:'paid'}",
    "{errorType:'TYPE_MISMATCH', description:'The type (path '/fields/0/type') of a field in the new schema does not match with the old schema', additionalInfo:'reader type: INT not compatible with writer type: STRING'}",
    '{errorType:"FIELD_SCALAR_KIND_CHANGED", description:"The kind of a SCALAR field at path \'#/1\' in the new schema does not match its kind in the old schema"}',
    '{errorType:"TYPE_CHANGED", description:"A type at path \'#/properties/id\' in the new schema is different"\'}'.replace(
      '"\'}',
      "'}",
    ),
    '{oldSchemaVersion: 3}',
    '{oldSchema: \'{"type":"record"}\'}',
    "{validateFields: 'false', compatibility: 'BACKWARD'}",
  ]);
  assert.equal(oldVersion, 3);
  assert.deepEqual(violations, [
    {
      type: 'READER_FIELD_MISSING_DEFAULT_VALUE',
      path: '/fields/1',
      message:
        "The field 'paid' at path '/fields/1' in the new schema has no default value and is missing in the old schema",
    },
    {
      type: 'TYPE_MISMATCH',
      path: '/fields/0/type',
      message:
        "The type (path '/fields/0/type') of a field in the new schema does not match with the old schema (reader type: INT not compatible with writer type: STRING)",
    },
    {
      type: 'FIELD_SCALAR_KIND_CHANGED',
      path: '#/1',
      message:
        "The kind of a SCALAR field at path '#/1' in the new schema does not match its kind in the old schema",
    },
    {
      type: 'TYPE_CHANGED',
      path: '#/properties/id',
      message: "A type at path '#/properties/id' in the new schema is different",
    },
  ]);
});

test('a message of another form is shown as it is', () => {
  assert.deepEqual(readViolations(['Incompatible because of different schema type']), {
    violations: [{ type: '', path: '', message: 'Incompatible because of different schema type' }],
    oldVersion: undefined,
  });
});
