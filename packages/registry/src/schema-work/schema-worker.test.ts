import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '@weir/core';
import { schemaTypes } from '../schema-format.ts';
import { SchemaPool } from './schema-pool.ts';

it('a thread of the product knows every type of schema', async () => {
  const texts = {
    AVRO: '{"type":"string"}',
    JSON: '{"type": "string"}',
    PROTOBUF: 'syntax = "proto3"; message M {}',
  };
  const pool = new SchemaPool({ clock: systemClock, threadsMax: 1 });
  try {
    for (const type of schemaTypes) {
      const source = { text: texts[type], references: [] };
      const { kind } = await pool.run(
        { kind: 'canonical', type, source, normalize: false, isNew: true, validatesFields: false },
        { client: 'a' },
      );
      assert.equal(kind, 'text', type);
    }
  } finally {
    await pool.end();
  }
});
