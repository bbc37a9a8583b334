import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationsOfResource } from './acl.ts';
import {
  type AclRoleInput,
  type AclRoleName,
  aclRole,
  aclRoleNames,
  missingRoleInputs,
  readResourcePatterns,
  rulesOfRole,
} from './acl-roles.ts';

const who = { principal: 'User:shop', host: '*' };
const given = {
  topics: readResourcePatterns('orders, payments.*'),
  outputTopics: readResourcePatterns('totals'),
  internalTopics: readResourcePatterns('connect-*'),
  groups: readResourcePatterns('shop'),
  transactionalIds: readResourcePatterns('shop-*'),
  applicationId: readResourcePatterns('app'),
  prefix: readResourcePatterns('team-a.'),
};

/** `TOPIC orders READ`, with `…` after a prefix. */
const inShort = (name: AclRoleName, inputs: Parameters<typeof rulesOfRole>[1] = given) =>
  rulesOfRole(name, inputs, who).map(
    ({ resourceType, resourceName, patternType, operation }) =>
      `${resourceType} ${resourceName}${patternType === 'PREFIXED' ? '…' : ''} ${operation}`,
  );

test('each grant is of an operation that something asks for, and from an input of its role', () => {
  for (const name of aclRoleNames) {
    const { grants, inputs, optional = [] } = aclRole(name);
    for (const { resourceType, input, operations } of grants) {
      for (const operation of operations)
        assert.ok(
          operation === 'ALL' ||
            (operationsOfResource[resourceType] as readonly string[]).includes(operation),
          `${name}: ${operation} ${resourceType}`,
        );
      assert.ok(input === undefined || inputs.includes(input), `${name}: ${input}`);
    }
    for (const input of inputs)
      assert.ok(
        grants.some((grant) => grant.input === input),
        `${name}: ${input}`,
      );
    for (const input of optional) assert.ok(inputs.includes(input), name);
  }
});

test('the rules of roles', () => {
  const cases: readonly (readonly [AclRoleName, readonly string[]])[] = [
    [
      'consumer',
      [
        'TOPIC orders READ',
        'TOPIC orders DESCRIBE',
        'TOPIC payments.… READ',
        'TOPIC payments.… DESCRIBE',
        'GROUP shop READ',
      ],
    ],
    [
      'prefix-admin',
      ['TOPIC team-a.… ALL', 'GROUP team-a.… ALL', 'TRANSACTIONAL_ID team-a.… ALL', 'SUBJECT team-a.… ALL'],
    ],
  ];
  for (const [name, rules] of cases) assert.deepEqual(inShort(name), rules, name);
  assert.ok(inShort('streams').includes('TOPIC app… CREATE'));
  assert.ok(inShort('monitor').includes('CLUSTER kafka-cluster DESCRIBE'));
  assert.deepEqual(inShort('prefix-admin', { prefix: readResourcePatterns('*') })[0], 'TOPIC * ALL');
});

test('a rule that two inputs ask for is there once', () => {
  const same = { topics: readResourcePatterns('a'), internalTopics: readResourcePatterns('a'), groups: [] };
  const rules = inShort('connect', same);
  assert.equal(new Set(rules).size, rules.length);
});

test('what a role lacks', () => {
  const cases: readonly (readonly [AclRoleName, object, readonly AclRoleInput[]])[] = [
    ['consumer', {}, ['topics', 'groups']],
    ['consumer', { topics: given.topics, groups: [] }, ['groups']],
    ['transactional-producer', { topics: given.topics, transactionalIds: given.transactionalIds }, []],
  ];
  for (const [name, inputs, missing] of cases) assert.deepEqual(missingRoleInputs(name, inputs), missing);
});

test('names between commas, spaces and lines', () => {
  const cases: readonly (readonly [text: string, patterns: string])[] = [
    ['', ''],
    [' , \n', ''],
    ['orders', 'orders/LITERAL'],
    ['orders,orders', 'orders/LITERAL'],
    ['orders.*, *\npay', 'orders./PREFIXED */LITERAL pay/LITERAL'],
  ];
  for (const [text, patterns] of cases)
    assert.equal(
      readResourcePatterns(text)
        .map(({ name, patternType }) => `${name}/${patternType}`)
        .join(' '),
      patterns,
    );
});
