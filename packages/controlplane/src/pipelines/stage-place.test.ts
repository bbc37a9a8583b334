import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readYaml } from '@weir/pipelines/yaml';
import { placeOfStage } from './stage-place.ts';

const yaml = `input: {generate: {mapping: root = 1}}
pipeline:
  processors:
    - log: {}
    - mapping: root = throw("no")
output:
  broker:
    outputs:
      - drop: {}
`;

const rows: [stage: string, place: string | undefined][] = [
  ['input', '1:1'],
  ['root.input', '1:1'],
  ['root.pipeline.processors.1', '5:7'],
  ['root.pipeline.processors.7', '3:3'],
  ['root.output.broker.outputs.0', '9:9'],
  ['root.output.broker.outputs.0.drop.more', '9:9'],
  ['pipeline', '2:1'],
  ['configuration', undefined],
  ['__proto__', undefined],
  ['', undefined],
];

test('a component is found by its path', () => {
  const reading = readYaml(yaml);
  assert.ok(!('problems' in reading));
  for (const [stage, expected] of rows) {
    const place = placeOfStage(reading.value, stage);
    assert.equal(place && `${place.line}:${place.column}`, expected, stage);
  }
});
