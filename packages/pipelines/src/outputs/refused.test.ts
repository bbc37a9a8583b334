import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from '../config/read-configuration.ts';

// biome-ignore format: a table
const cases: readonly [config: string, problem: RegExp][] = [
  ['output: {broker: {outputs: []}}',                                          /outputs has to have an output/],
  ['output: {broker: {copies: 0, outputs: [{drop: {}}]}}',                     /copies has to be from 1 to/],
  ['output: {broker: {pattern: fan, outputs: [{drop: {}}]}}',                  /pattern has to be one of fan_out/],
  ['output: {switch: {cases: [{output: {drop: {}}}]}}',                        /cases has to have two cases/],
  ['output: {switch: {retry_until_success: true, cases: [{output: {drop: {}}}, {output: {reject: no}}]}}', /retry_until_success has to be false/],
  ['output: {fallback: []}',                                                   /fallback has to have an output/],
  ['output: {reject: ""}',                                                     /reject has to be a text/],
  ['output: {drop_on: {error: true, error_patterns: [a], output: {drop: {}}}}', /error_patterns has no effect/],
  ['output: {drop_on: {error_patterns: ["("], output: {drop: {}}}}',           /the pattern is wrong/],
  ['output: {resource: nowhere}',                                              /there is no output resource/],
  ['output: {cache: {target: nowhere}}',                                       /there is no cache resource/],
  ['output: {stdout: {}}',                                                     /not available in managed pipelines/],
  ['output: {file: {path: x}}',                                                /not available in managed pipelines/],
  ['output: {stdout: {codec: "delim:"}}',                                      /codec has to be one of/],
  ['output: {inproc: ""}',                                                     /inproc has to be a text/],
  ['input: {stdin: {}}',                                                       /not available in managed pipelines/],
  ['input: {file: {paths: [x]}}',                                              /not available in managed pipelines/],
  ['input: {broker: {inputs: []}}',                                            /inputs has to have an input/],
  ['input: {sequence: {inputs: [{inproc: a}], sharded_join: {type: outer}}}',  /sharded_join is known and not available/],
  ['input: {read_until: {input: {inproc: a}}}',                                /has to have check or idle_timeout/],
  ['input: {generate: {mapping: root = 1, interval: never}}',                  /interval has to be a duration/],
  ['input: {generate: {mapping: root = 1, batch_size: 0}}',                    /batch_size has to be from 1/],
];

test('configurations that cannot mean anything are refused', () => {
  for (const [config, problem] of cases) {
    const input = config.startsWith('input') ? '' : 'input: {inproc: a}\n';
    const output = config.startsWith('output') ? '' : 'output: {drop: {}}\n';
    const { problems } = readConfiguration(`${input}${output}${config}`, {
      catalogue,
      isLocal: false,
      references: { variable: () => undefined, secrets: {} },
    });
    assert.ok(
      problems.some(({ message }) => problem.test(message)),
      `${config}: ${JSON.stringify(problems)}`,
    );
  }
});
