import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipelineTemplates } from '@weir/api/pipeline-templates';
import { configurationProblems } from './check-configuration.ts';

for (const { type, name, yaml } of pipelineTemplates) {
  test(`the template "${name}" is valid`, () => {
    assert.deepEqual(configurationProblems(type, yaml), []);
  });
}
