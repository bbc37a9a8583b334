import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisedDiagnostics } from '../../testing/demo-promises.ts';
import { demoClientNames, demoGroups } from '../demo/cast.ts';
import { demoTopicNames } from '../demo/topics.ts';

test('the page about the demo names everything in it', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/start/demo.md'), 'utf8');
  const names = [
    ...demoTopicNames,
    ...demoClientNames,
    ...Object.values(demoGroups),
    ...Object.keys(promisedDiagnostics),
  ];
  assert.deepEqual(
    names.filter((name) => !page.includes(`\`${name}\``)),
    [],
  );
});
