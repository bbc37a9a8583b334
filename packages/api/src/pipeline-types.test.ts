import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterTypeNames } from './ids.ts';
import { engineNoteFor, pipelineTypeNames, pipelineTypes, runnablePipelineTypes } from './pipeline-types.ts';

test('every type of cluster has a type of pipeline', () => {
  for (const clusterType of clusterTypeNames)
    assert.ok(pipelineTypeNames.some((type) => pipelineTypes[type].clusterType === clusterType));
});

test('a type that cannot run is reported while there is one', () => {
  assert.deepEqual(runnablePipelineTypes, pipelineTypeNames);
  assert.equal(engineNoteFor([]), 'This release keeps pipelines and has no engine that runs them.');
  assert.equal(
    engineNoteFor(['bento', 'orbit']),
    'This release keeps pipelines of the type schema_linking or data_lake and has no engine that runs them.',
  );
  assert.equal(engineNoteFor(pipelineTypeNames), '');
});
