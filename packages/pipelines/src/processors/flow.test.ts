import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Given, processed, shown } from '../../testing/run-processors.ts';
import { componentOf } from '../component/component-spec.ts';

const failing = '- mapping: root = if this.id % 2 == 0 { throw("even") } else { this }';
const numbered = ['{"id":1}', '{"id":2}', '{"id":3}'];
const failed: Given = { content: '{"id":9}', error: 'before' };

const twice = componentOf('processor', {
  name: 'twice',
  about: 'Makes two messages of each, for tests.',
  fields: {},
  open: () => ({ process: (batch) => [[...batch, ...batch]] }),
});

interface Case {
  readonly what: string;
  readonly processors: string;
  readonly given?: readonly Given[];
  readonly result: readonly (readonly string[])[];
  readonly resources?: string;
}

const evenFailure = '{"id":2} ! failed assignment (line 1): even';

const cases: readonly Case[] = [
  {
    what: 'a failing processor keeps the message, and the next one sees it',
    processors: `${failing}\n- mapping: root.seen = [this.id, errored()]`,
    result: [
      ['{"seen":[1,false]}', '{"seen":[2,true]} ! failed assignment (line 1): even', '{"seen":[3,false]}'],
    ],
  },
  {
    what: 'a text that a mapping makes is parsed by the next one',
    processors: '- mapping: root = this.id.string()\n- mapping: root = this + 1',
    result: [['2', '3', '4']],
  },
  {
    what: 'try skips the rest for a failed message',
    processors: `- try:\n  ${failing}\n  - mapping: root = "ok %v".format(this.id)`,
    result: [['ok 1', evenFailure, 'ok 3']],
  },
  {
    what: 'try skips all for a message that failed before',
    processors: '- try:\n  - mapping: root = "ok"',
    given: [failed, '{}'],
    result: [['{"id":9} ! before', 'ok']],
  },
  {
    what: 'catch works on failed messages only, and clears the error afterwards',
    processors: `${failing}\n- catch:\n  - mapping: root = error()\n  - mapping: root = content().string() + " again"`,
    result: [['{"id":1}', 'failed assignment (line 1): even again', '{"id":3}']],
  },
  {
    what: 'an empty catch clears the error',
    processors: '- catch: []',
    given: [failed],
    result: [['{"id":9}']],
  },
  {
    what: 'catch drops what its processors drop',
    processors: `${failing}\n- catch:\n  - mapping: root = deleted()`,
    result: [['{"id":1}', '{"id":3}']],
  },
  {
    what: 'for_each makes batches of one',
    processors: '- for_each:\n  - mapping: root = batch_size()\n- mapping: root = [this, batch_size()]',
    result: [['[1,3]', '[1,3]', '[1,3]']],
  },
  {
    what: 'for_each gathers what is left',
    processors: '- for_each:\n  - mapping: root = if this.id == 2 { deleted() }',
    result: [['{"id":1}', '{"id":3}']],
  },
  {
    what: 'parallel makes batches of one and keeps the order',
    processors: `- parallel:\n    cap: 2\n    processors:\n    - sleep:\n        duration: \${! if this.id == 1 { "5ms" } else { "0s" } }\n    - mapping: root = [this.id, batch_size()]`,
    result: [['[1,1]', '[2,1]', '[3,1]']],
  },
  {
    what: 'processors are one',
    processors: '- processors:\n  - mapping: root = this.id\n  - mapping: root = this + 1',
    result: [['2', '3', '4']],
  },
  { what: 'noop does nothing', processors: '- noop: {}', result: [numbered] },
  {
    what: 'a resource is used by its label, also before it is defined',
    processors: '- resource: second\n- resource: first',
    resources: `processor_resources:
  - label: second
    try:
      - resource: first
  - label: first
    mapping: root.id = this.id * 10
`,
    result: [['{"id":100}', '{"id":200}', '{"id":300}']],
  },
  {
    what: 'switch takes the first case that is true',
    processors: `- switch:
  - check: this.id == 1
    processors:
    - mapping: root = "one"
  - check: this.id < 3
    processors:
    - mapping: root = "two"
  - check: this.id == 1
    processors:
    - mapping: root = "never"`,
    result: [['one', 'two', '{"id":3}']],
  },
  {
    what: 'switch falls through, keeps the order, and fails where a check does',
    processors: `- switch:
  - check: this.id == 3
    fallthrough: true
    processors:
    - mapping: root.id = 30
  - check: this.id.not_null() == 2
    processors:
    - mapping: root.id = this.id + 1
  - processors:
    - mapping: root = "rest %v".format(this.id)`,
    given: ['{"id":1}', '{"id":2}', '{"id":3}', '{"no":1}'],
    result: [
      [
        'rest 1',
        '{"id":3}',
        '{"id":31}',
        '{"no":1} ! failed to test case 1: failed assignment (line 1): field `this.id`: value is null',
      ],
    ],
  },
  {
    what: 'switch drops what a case drops',
    processors: '- switch:\n  - check: this.id != 2\n    processors:\n    - mapping: root = deleted()',
    result: [['{"id":2}']],
  },
  {
    what: 'while goes on as long as the check is true for the first message',
    processors: '- while:\n    check: this.id < 3\n    processors:\n    - mapping: root.id = this.id + 1',
    result: [['{"id":3}', '{"id":4}', '{"id":5}']],
  },
  {
    what: 'while at least once, and no more than max_loops',
    processors: `- while:
    at_least_once: true
    check: "false"
    processors:
    - mapping: root.id = this.id + 1
- while:
    max_loops: 7
    check: "true"
    processors:
    - mapping: root.id = this.id + 1`,
    result: [['{"id":9}', '{"id":10}', '{"id":11}']],
  },
  {
    what: 'while ends when nothing is left',
    processors: '- while:\n    check: "true"\n    processors:\n    - mapping: root = deleted()',
    result: [],
  },
  {
    what: 'while without an end fails at the limit',
    processors: '- while:\n    check: "true"\n    processors: []',
    given: ['x'],
    result: [['x ! the loop took more than 100000 rounds; set max_loops or the check']],
  },
  {
    what: 'while that makes more and more messages fails at the limit',
    processors: '- while:\n    check: "true"\n    processors:\n    - twice: {}',
    given: ['x'],
    result: [['x ! the loop made more than 100000 messages of a batch']],
  },
  {
    what: 'group_by makes a batch of each group, and one of the rest',
    processors: `- group_by:
  - check: this.id == 3
    processors:
    - mapping: root = "three of %v".format(batch_size())
  - check: this.id == 1`,
    given: [...numbered, '{"id":3}', 'no json'],
    result: [['three of 2', 'three of 2'], ['{"id":1}'], ['{"id":2}', 'no json']],
  },
  {
    what: 'group_by_value makes a batch of each value',
    processors: `- group_by_value:\n    value: \${! this.id % 2 }`,
    given: [...numbered, 'no json'],
    result: [
      ['{"id":1}', '{"id":3}'],
      ['{"id":2}'],
      [
        "no json ! failed assignment (line 1): unable to reference message as structured (with 'this.id'): parse as json: invalid JSON",
      ],
    ],
  },
  {
    what: 'split by size',
    processors: '- split:\n    size: 2',
    result: [['{"id":1}', '{"id":2}'], ['{"id":3}']],
  },
  {
    what: 'split has a size of 1',
    processors: '- split: {}',
    result: [['{"id":1}'], ['{"id":2}'], ['{"id":3}']],
  },
  {
    what: 'split by bytes, where a large message is alone',
    processors: '- split:\n    size: 0\n    byte_size: 4',
    given: ['a', 'bc', 'defgh', 'i', 'jkl', 'm'],
    result: [['a', 'bc'], ['defgh'], ['i', 'jkl'], ['m']],
  },
  {
    what: 'select_parts by index, also from the end',
    processors: '- select_parts:\n    parts: [-1, 0, 7, 0]',
    result: [['{"id":3}', '{"id":1}', '{"id":1}']],
  },
  { what: 'select_parts of nothing drops', processors: '- select_parts: {}', result: [] },
  {
    what: 'insert_part at the end',
    processors: `- insert_part:\n    content: after \${! this.id }`,
    result: [[...numbered, 'after 1']],
  },
  {
    what: 'insert_part copies the first message, also its error',
    processors: '- insert_part:\n    content: x',
    given: [failed],
    result: [['{"id":9} ! before', 'x ! before']],
  },
  {
    what: 'switch keeps messages that fall through the last case',
    processors: '- switch:\n  - check: this.id == 1\n    fallthrough: true',
    result: [numbered],
  },
  ...(
    [
      [0, 0],
      [1, 1],
      [9, 3],
      [-2, 2],
      [-9, 0],
    ] as const
  ).map(([index, place]) => ({
    what: `insert_part at ${index}`,
    processors: `- insert_part:\n    index: ${index}\n    content: x`,
    result: [numbered.toSpliced(place, 0, 'x')],
  })),
  { what: 'bounds_check passes', processors: '- bounds_check: {}', result: [numbered] },
  {
    what: 'bounds_check drops what is empty',
    processors: '- bounds_check: {}',
    given: ['a', ''],
    result: [],
  },
  {
    what: 'bounds_check drops what is too large',
    processors: '- bounds_check:\n    max_part_size: 2',
    given: ['abc'],
    result: [],
  },
  { what: 'bounds_check drops large batches', processors: '- bounds_check:\n    max_parts: 2', result: [] },
  { what: 'bounds_check drops small batches', processors: '- bounds_check:\n    min_parts: 4', result: [] },
];

for (const { what, processors, given = numbered, result, resources = '' } of cases)
  test(what, async () => {
    assert.deepEqual(shown(await processed(processors, given, { resources, specs: [twice] })), result);
  });
