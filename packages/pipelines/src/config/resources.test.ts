import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationOf } from '../../testing/run-processors.ts';
import { catalogue } from '../catalogue.ts';
import { readConfiguration } from './read-configuration.ts';
import { ResourceUses } from './resource-uses.ts';

const processorResources = (...configs: string[]) =>
  `processor_resources:\n${configs.map((config) => `  - ${config.replaceAll('\n', '\n    ')}\n`).join('')}`;

interface Case {
  readonly what: string;
  readonly processors: string;
  readonly resources?: string;
  readonly problems: readonly string[];
}

/** Each resource uses the next one twice. */
function doubled(depth: number): string {
  const uses = Array.from(
    { length: depth },
    (_, at) => `label: r${at}\ntry: [{resource: r${at + 1}}, {resource: r${at + 1}}]`,
  );
  return processorResources(...uses, `label: r${depth}\nnoop: {}`);
}

const cases: readonly Case[] = [
  {
    what: 'resources that exist',
    processors: '- resource: a\n- cache: {resource: c, operator: get, key: x}\n- rate_limit: {resource: r}',
    resources: `${processorResources('label: a\nnoop: {}')}cache_resources:
  - {label: c, memory: {}}
rate_limit_resources:
  - {label: r, local: {}}
`,
    problems: [],
  },
  ...['resource: x', 'workflow: {branch_resources: [x]}', 'workflow: {order: [[x]]}'].map((processor) => ({
    what: `${processor} without the processor`,
    processors: `- ${processor}`,
    problems: ['there is no processor resource "x"; add it to processor_resources'],
  })),
  ...[
    'cache: {resource: x, operator: get, key: k}',
    'dedupe: {cache: x, key: k}',
    'cached: {cache: x, key: k, processors: []}',
  ].map((processor) => ({
    what: `${processor} without the cache`,
    processors: `- ${processor}`,
    problems: ['there is no cache resource "x"; add it to cache_resources'],
  })),
  {
    what: 'a label of another kind',
    processors: '- rate_limit: {resource: c}',
    resources: 'cache_resources:\n  - {label: c, memory: {}}\n',
    problems: ['there is no rate_limit resource "c"; add it to rate_limit_resources'],
  },
  {
    what: 'a resource within itself',
    processors: '- noop: {}',
    resources: processorResources('label: a\ntry:\n  - resource: a'),
    problems: ['the processor resource "a" would be within itself'],
  },
  {
    what: 'resources within each other',
    processors: '- resource: c',
    resources: processorResources(
      'label: a\nresource: b',
      'label: b\nfor_each:\n  - resource: c',
      'label: c\nresource: a',
      'label: d\nresource: a',
    ),
    problems: ['b', 'c', 'a'].map((label) => `the processor resource "${label}" would be within itself`),
  },
  {
    what: 'caches within each other',
    processors: '- noop: {}',
    resources:
      'cache_resources:\n  - {label: a, multilevel: [b, b]}\n  - {label: b, multilevel: [a, c]}\n  - {label: c, noop: {}}\n',
    problems: ['b', 'b', 'a'].map((label) => `the cache resource "${label}" would be within itself`),
  },
  {
    what: 'resources that use each other twice, fourteen deep',
    processors: '- resource: r0',
    resources: doubled(14),
    problems: [
      'resources use each other so often that this would be more than 10000 components; use fewer within each other',
    ],
  },
  {
    what: 'resources that use each other twice, ten deep',
    processors: '- resource: r0',
    resources: doubled(10),
    problems: [],
  },
  {
    what: 'a label beside a resource',
    processors: '- label: mine\n  resource: a',
    resources: processorResources('label: a\nnoop: {}'),
    problems: ['a processor that is a resource has the label of the resource only'],
  },
  {
    what: 'a while without a check',
    processors: '- while: {processors: []}',
    problems: ['check is missing'],
  },
  {
    what: 'a branch without processors',
    processors: '- branch: {processors: []}',
    problems: ['processors has to have at least one processor'],
  },
  {
    what: 'a group without a check',
    processors: '- group_by: [{check: ""}]',
    problems: ['a group has to have a check'],
  },
  {
    what: 'a dedupe without a key',
    processors: '- dedupe: {cache: c, key: ""}',
    resources: 'cache_resources:\n  - {label: c, memory: {}}\n',
    problems: ['key is empty'],
  },
  {
    what: 'one level',
    processors: '- noop: {}',
    resources: 'cache_resources:\n  - {label: c, multilevel: [d]}\n  - {label: d, noop: {}}\n',
    problems: ['multilevel has to have at least two caches'],
  },
  {
    what: 'a cache without entries',
    processors: '- noop: {}',
    resources: 'cache_resources:\n  - {label: c, lru: {cap: 0}}\n',
    problems: ['cap has to be from 1 to 500000'],
  },
  {
    what: 'a limit of nothing',
    processors: '- noop: {}',
    resources: 'rate_limit_resources:\n  - {label: c, local: {count: 0}}\n',
    problems: ['count or byte_size has to be more than zero'],
  },
  {
    what: 'a mapping in a branch',
    processors: '- branch:\n    request_map: root = = (\n    processors: [{noop: {}}]',
    problems: ['in the mapping: expected query, got: = ('],
  },
];

for (const { what, processors, resources = '', problems } of cases)
  test(what, () => {
    const reading = readConfiguration(configurationOf(processors, resources), { catalogue, isLocal: false });
    assert.deepEqual(
      reading.problems.map(({ message }) => message),
      problems,
    );
  });

test("files are for a machine of one's own", () => {
  const yaml = configurationOf('- noop: {}', 'cache_resources:\n  - {label: c, file: {directory: /tmp}}\n');
  const { problems } = readConfiguration(yaml, { catalogue, isLocal: false });
  assert.match(problems[0]!.message, /cache file is not available in managed pipelines/);
});

test('a long chain of resources is read in linear time', () => {
  const count = 20_000;
  const chain = Array.from({ length: count }, (_, at) => [`r${at}`, `r${at + 1}`] as const);
  assert.equal(new ResourceUses([[undefined, 'r0'], ...chain]).count, count + 1);
  const circle = new ResourceUses([...chain, [`r${count}`, 'r0']]);
  assert.ok(circle.isWithinItself('r0', 'r1'));
});
