import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { Trials } from './trials.ts';

const around = (processors: string) => `
input: {generate: {mapping: root = 1}}
pipeline:
  processors:
${processors}
output: {drop: {}}
`;

const trials = new Trials(systemClock);
/** A busy machine may need longer than a person should wait. */
const patientTrials = new Trials(new HandClock());

test('a trial shows what each step makes of the messages', async () => {
  const yaml = around(`    - mapping: |
        root = this
        root.total = this.price * this.count
        meta currency = "EUR"
    - mapping: root = if this.total > 10 { deleted() }
    - mapping: root = this.nothing.uppercase()`);
  const messages = ['{"price":2,"count":3}', '{"price":20,"count":3}'].map((content) => ({
    content,
    metadata: {},
  }));
  const answer = await patientTrials.run({ yaml, messages });
  assert.ok('steps' in answer, JSON.stringify(answer));
  const shown = answer.steps.map(({ path, batches }) => [path, batches.flat().map(({ content }) => content)]);
  assert.deepEqual(shown, [
    ['pipeline.processors.0', ['{"price":2,"count":3,"total":6}', '{"price":20,"count":3,"total":60}']],
    ['pipeline.processors.1', ['{"price":2,"count":3,"total":6}']],
    ['pipeline.processors.2', ['{"price":2,"count":3,"total":6}']],
  ]);
  assert.equal(answer.steps[0]!.batches[0]![0]!.metadata.currency, 'EUR');
  assert.match(answer.steps[2]!.batches[0]![0]!.error!, /null/);
});

test('a trial of a configuration with a mistake says where it is', async () => {
  const answer = await patientTrials.run({ yaml: around('    - mappin: root = this'), messages: [] });
  assert.deepEqual(answer, {
    refused: 'line 5, column 7: there is no processor "mappin"; did you mean mapping?',
  });
});

test('a trial that takes all memory ends alone', async () => {
  const grow =
    'let all = range(0, 3000000)\nroot = range(0, 50).map_each(this.string() + $all.format_json())';
  const yaml = around(`    - mapping: |\n${grow.replaceAll(/^/gm, '        ')}`);
  const answer = await trials.run({ yaml, messages: [{ content: '{}', metadata: {} }] });
  assert.ok(
    'refused' in answer || answer.steps[0]!.batches[0]![0]!.error !== undefined,
    JSON.stringify(answer).slice(0, 200),
  );
});
