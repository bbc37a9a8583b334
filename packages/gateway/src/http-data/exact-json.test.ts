import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactJson, mayBeInexact } from './exact-json.ts';

test('numbers keep all their digits', () => {
  // biome-ignore format: a table
  const cases: [json: string, isInexact: boolean][] = [
    ['{"a":[1,-2.5,true,null,"x"]}',            false],
    ['123456789012345',                         false],
    ['[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]',   false],
    ['9007199254740993',                        true],
    ['{"a":-12345678901234567890,"b":1}',       true],
    ['0.12345678901234567',                     true],
    ['12345678.123456789',                      true],
    ['[1e400,-1E-400]',                         true],
    ['{"__proto__":{"a":9007199254740993}}',    true],
    ['"9007199254740993"',                      true],
  ];
  for (const [json, isInexact] of cases) {
    assert.equal(mayBeInexact(json), isInexact, json);
    assert.equal(JSON.stringify(exactJson(json)), json);
  }
  assert.throws(() => exactJson('{"a":12345678901234567890'), SyntaxError);
});
