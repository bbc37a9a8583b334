import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationOf, type Given, processed, shown } from '../../testing/run-processors.ts';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from '../config/read-configuration.ts';

const given: readonly Given[] = [
  { content: '{"id":1}', metadata: { from: 'origin' } },
  { content: '{"id":2}', metadata: { from: 'origin' } },
];

interface Case {
  readonly what: string;
  readonly request?: string;
  readonly mapping?: string;
  readonly result?: string;
  readonly gives: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: 'the result goes into the message',
    request: 'root = this.id',
    mapping: 'root = {"twice":this * 2}',
    result: 'root.twice = this.twice',
    gives: ['{"id":1,"twice":2} origin', '{"id":2,"twice":4} origin'],
  },
  {
    what: 'without maps the message is copied and stays',
    mapping: 'root = [content().string(), metadata()]\nmeta from = "branch"',
    gives: ['{"id":1} origin', '{"id":2} origin'],
  },
  {
    what: 'an empty request map copies, a request that assigns nothing is empty',
    request: 'meta x = "y"',
    mapping: 'root = "<%v>".format(content().string())',
    result: 'root.got = content().string()',
    gives: ['{"id":1,"got":"<>"} origin', '{"id":2,"got":"<>"} origin'],
  },
  {
    what: 'metadata comes back only if the result map says so',
    mapping: 'meta from = "branch"',
    result: 'meta seen = metadata("from")\nroot.before = @from',
    gives: ['{"id":1,"before":"origin"} origin branch', '{"id":2,"before":"origin"} origin branch'],
  },
  {
    what: 'all metadata can come back',
    mapping: 'meta from = "branch"',
    result: 'meta = metadata()',
    gives: ['{"id":1} branch', '{"id":2} branch'],
  },
  {
    what: 'a deleted request skips the branch',
    request: 'root = if this.id == 1 { deleted() }',
    mapping: 'root.x = batch_size()',
    result: 'root.x = this.x',
    gives: ['{"id":1} origin', '{"id":2,"x":1} origin'],
  },
  {
    what: 'a request that fails',
    request: 'root = if this.id == 1 { throw("no") }',
    mapping: 'root = "x"',
    result: 'root.x = content().string()',
    gives: [
      '{"id":1} origin ! request mapping failed: failed assignment (line 1): no',
      '{"id":2,"x":"x"} origin',
    ],
  },
  {
    what: 'a processor that fails',
    mapping: 'root = if this.id == 2 { throw("no") }',
    result: 'root.x = 1',
    gives: ['{"id":1,"x":1} origin', '{"id":2} origin ! processors failed: failed assignment (line 1): no'],
  },
  {
    what: 'a result that fails',
    mapping: 'root = "text"',
    result: 'root.x = this.y',
    gives: Array.from(
      { length: 2 },
      (_, index) =>
        `{"id":${index + 1}} origin ! result mapping failed: failed assignment (line 1): unable to reference message as structured (with 'this.y'): parse as json: invalid JSON`,
    ),
  },
  {
    what: 'processors that change the number of messages',
    mapping: 'root = if this.id == 1 { deleted() }',
    gives: Array.from(
      { length: 2 },
      (_, index) =>
        `{"id":${index + 1}} origin ! the processors of a branch have to keep the number of messages; there were 2, and 1 are left`,
    ),
  },
  {
    what: 'processors that change the number of messages, where one was skipped',
    request: 'root = if this.id == 1 { deleted() }',
    mapping: 'root = deleted()',
    gives: Array.from(
      { length: 2 },
      (_, index) =>
        `{"id":${index + 1}} origin ! the processors of a branch have to keep the number of messages; there were 1, and 0 are left`,
    ),
  },
];

for (const { what, request = '', mapping = 'root = this', result = '', gives } of cases)
  test(`branch: ${what}`, async () => {
    const yaml = `- branch:
    request_map: ${JSON.stringify(request)}
    processors: [{mapping: ${JSON.stringify(mapping)}}]
    result_map: ${JSON.stringify(result)}`;
    const [batch] = await processed(yaml, given);
    const seen = batch!.map(({ content, metadata, error }) =>
      [content, ...metadata.values(), ...(error === undefined ? [] : ['!', error.message])].join(' '),
    );
    assert.deepEqual(seen, gives);
  });

test('branch: an error of the message is not one of its request, and stays', async () => {
  const yaml = `- branch:
    processors:
    - mapping: root.errored = errored()
    result_map: root.errored = this.errored`;
  assert.deepEqual(shown(await processed(yaml, [{ content: '{}', error: 'before' }])), [
    ['{"errored":false} ! before'],
  ]);
});

const workflow = (fields: string) => `- workflow:
    ${fields.replaceAll('\n', '\n    ')}`;

const branches = `branches:
  c:
    request_map: root = this.b.out
    processors:
    - mapping: root = this + 1
    result_map: root.c.out = this
  a:
    request_map: root = this.id
    processors:
    - mapping: root = this + 1
    result_map: root.a.out = this
  b:
    request_map: root = this.a.out
    processors:
    - mapping: root = if this == 3 { throw("three") } else { this + 1 }
    result_map: root.b.out = this`;

interface Flow {
  readonly what: string;
  readonly fields: string;
  readonly content?: string;
  readonly gives: string;
  readonly resources?: string;
}

const flows: readonly Flow[] = [
  {
    what: 'the order follows from what maps read and assign',
    fields: branches,
    gives:
      '{"id":1,"a":{"out":2},"b":{"out":3},"c":{"out":4},"meta":{"workflow":{"succeeded":["a","b","c"]}}}',
  },
  {
    what: 'a branch that fails is noted, and those after it do what they can',
    fields: branches,
    content: '{"id":2}',
    gives:
      '{"id":2,"a":{"out":3},"meta":{"workflow":{"succeeded":["a"],"failed":{"b":"processors failed: failed assignment (line 1): three","c":"processors failed: failed assignment (line 1): cannot add types null (from field `this`) and number (from number literal)"}}}}',
  },
  {
    what: 'branches that were done before are skipped',
    fields: `meta_path: done\n${branches}`,
    content: '{"id":1,"b":{"out":7},"done":{"succeeded":["a","b"]}}',
    gives:
      '{"id":1,"b":{"out":7},"done":{"succeeded":["c"],"skipped":["a","b"],"previous":{"succeeded":["a","b"]}},"c":{"out":8}}',
  },
  {
    what: 'only those to apply run',
    fields: branches,
    content: '{"id":1,"meta":{"workflow":{"apply":["a"]}}}',
    gives:
      '{"id":1,"meta":{"workflow":{"succeeded":["a"],"skipped":["b","c"],"previous":{"apply":["a"]}}},"a":{"out":2}}',
  },
  {
    what: 'without a path a failed branch fails the message',
    fields: `meta_path: ""\n${branches}`,
    content: '{"id":2}',
    gives: '{"id":2,"a":{"out":3}} ! workflow branches failed: [b c]',
  },
  {
    what: 'an order and branches that are resources',
    fields: `meta_path: ""\norder: [[second], [first]]\nbranches:
  first:
    processors:
    - mapping: root = this.second + 1
    result_map: root.first = this`,
    resources: `processor_resources:
  - label: second
    branch:
      processors:
        - mapping: root = this.id + 1
      result_map: root.second = this
`,
    gives: '{"id":1,"second":2,"first":3}',
  },
  {
    what: 'a resource that is no branch',
    fields: 'branch_resources: [second]',
    resources: 'processor_resources:\n  - label: second\n    noop: {}\n',
    gives: '{"id":1} ! processor resource second is not a branch',
  },
  {
    what: 'a message that is no document',
    fields: branches,
    content: 'text',
    gives: 'text ! parse as json: invalid JSON',
  },
];

for (const { what, fields, content = '{"id":1}', gives, resources = '' } of flows)
  test(`workflow: ${what}`, async () => {
    assert.deepEqual(shown(await processed(workflow(fields), [content], { resources })), [[gives]]);
  });

const needs = (name: string, reads: string, writes: string) => `  ${name}:
    request_map: root = ${reads}
    processors: [{noop: {}}]
    result_map: ${writes} = this`;

const refused: readonly [what: string, fields: string, problem: RegExp][] = [
  [
    'a circle',
    `branches:\n${needs('a', 'this.y', 'root.x')}\n${needs('b', 'this.x.z', 'root.y')}`,
    /a, b read what/,
  ],
  [
    'a circle by metadata',
    `branches:\n${needs('a', '@y', 'meta x')}\n${needs('b', 'metadata("x")', 'meta y')}`,
    /a, b read/,
  ],
  ['an empty tier', `order: [[]]\nbranches:\n${needs('a', 'this', 'root.x')}`, /tier 0 of order is empty/],
  ['a branch twice', `order: [[a], [a]]\nbranches:\n${needs('a', 'this', 'root.x')}`, /the branch a twice/],
  [
    'a branch without order',
    `order: [[a]]\nbranches:\n${needs('a', 'this', 'root.x')}\n${needs('b', 'this', 'root.y')}`,
    /has to have the branch b/,
  ],
  ['an unknown resource', 'order: [[none]]', /there is no processor resource "none"/],
  ['a name', `branches:\n${needs('"a b"', 'this', 'root.x')}`, /letters, digits/],
];

for (const [what, fields, problem] of refused)
  test(`workflow: ${what} is refused`, () => {
    const { problems } = readConfiguration(configurationOf(workflow(fields)), { catalogue, isLocal: true });
    assert.match(problems.map(({ message }) => message).join('; '), problem);
  });
