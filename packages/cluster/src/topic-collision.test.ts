import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collisionKey } from './topic-collision.ts';

test('names collide when they differ only in dots and underscores', () => {
  assert.equal(collisionKey('a.b_c'), collisionKey('a_b.c'));
  assert.notEqual(collisionKey('a.b'), collisionKey('a-b'));
});
