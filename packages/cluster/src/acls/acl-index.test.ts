import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Acl, aclOperations, type NeededOperation } from '@weir/core';
import fc from 'fast-check';
import { AclIndex, type AclQuestion } from './acl-index.ts';

/** Parses `ALLOW User:a READ TOPIC orders`, optionally followed by `PREFIXED` and a host. */
function rule(text: string): Acl {
  const [permission, principal, operation, resourceType, resourceName, ...rest] = text.split(' ');
  const patternType = rest.includes('PREFIXED') ? 'PREFIXED' : 'LITERAL';
  const host = rest.find((word) => word !== 'PREFIXED') ?? '*';
  return {
    permission: permission as Acl['permission'],
    principal: principal!,
    operation: operation as Acl['operation'],
    resourceType: resourceType as Acl['resourceType'],
    resourceName: resourceName!,
    patternType,
    host,
  };
}

/** Parses `User:a READ TOPIC orders`; the host is 10.0.0.7 unless given. */
function question(text: string): AclQuestion {
  const [principals, operation, resourceType, resourceName, host = '10.0.0.7'] = text.split(' ');
  return {
    principals: principals!.split(','),
    operation: operation as NeededOperation,
    resourceType: resourceType as Acl['resourceType'],
    resourceName: resourceName!,
    host,
  };
}

const anyoneReads = 'ALLOW User:* READ TOPIC *';
const table: [title: string, rules: string[], access: string, isAllowed: boolean][] = [
  ['without rules', [], 'User:a READ TOPIC t', false],
  ['a literal name', ['ALLOW User:a READ TOPIC t'], 'User:a READ TOPIC t', true],
  ['another name', ['ALLOW User:a READ TOPIC t'], 'User:a READ TOPIC tt', false],
  ['another type of the same name', ['ALLOW User:a READ TOPIC t'], 'User:a READ GROUP t', false],
  ['every name', ['ALLOW User:a READ TOPIC *'], 'User:a READ TOPIC t', true],
  ['a prefix', ['ALLOW User:a READ TOPIC or PREFIXED'], 'User:a READ TOPIC orders', true],
  ['a prefix that is the whole name', ['ALLOW User:a READ TOPIC t PREFIXED'], 'User:a READ TOPIC t', true],
  ['a prefix that is longer', ['ALLOW User:a READ TOPIC tt PREFIXED'], 'User:a READ TOPIC t', false],
  ['a prefix * matches nothing', ['ALLOW User:a READ GROUP * PREFIXED'], 'User:a READ GROUP g', false],
  ['a prefix * does not match stars', ['ALLOW User:a READ GROUP * PREFIXED'], 'User:a READ GROUP *g', false],
  [
    'a DENY with the prefix * denies nothing',
    [anyoneReads, 'DENY User:a READ TOPIC * PREFIXED'],
    'User:a READ TOPIC t',
    true,
  ],
  ['a rule for all principals', [anyoneReads], 'User:a READ TOPIC t', true],
  ['principals are case-sensitive', ['ALLOW User:a READ TOPIC t'], 'User:A READ TOPIC t', false],
  ['names are case-sensitive', ['ALLOW User:a READ TOPIC t'], 'User:a READ TOPIC T', false],
  [
    'an alias is the same principal',
    ['ALLOW User:ccn_a READ TOPIC t'],
    'User:a,User:ccn_a READ TOPIC t',
    true,
  ],
  [
    'a principal that is denied under any name is denied',
    ['ALLOW User:a READ TOPIC t', 'DENY User:ccn_a READ TOPIC t'],
    'User:a,User:ccn_a READ TOPIC t',
    false,
  ],
  ['DENY wins', ['ALLOW User:a ALL TOPIC t', 'DENY User:* READ TOPIC *'], 'User:a READ TOPIC t', false],
  ['a DENY by prefix', [anyoneReads, 'DENY User:a READ TOPIC t PREFIXED'], 'User:a READ TOPIC tt', false],
  ['ALL is everything', ['ALLOW User:a ALL TOPIC t'], 'User:a ALTER_CONFIGS TOPIC t', true],
  ['DENY ALL denies everything', [anyoneReads, 'DENY User:a ALL TOPIC t'], 'User:a READ TOPIC t', false],
  ['READ implies DESCRIBE', ['ALLOW User:a READ TOPIC t'], 'User:a DESCRIBE TOPIC t', true],
  ['WRITE implies DESCRIBE', ['ALLOW User:a WRITE TOPIC t'], 'User:a DESCRIBE TOPIC t', true],
  ['DELETE implies DESCRIBE', ['ALLOW User:a DELETE GROUP g'], 'User:a DESCRIBE GROUP g', true],
  ['ALTER implies DESCRIBE', ['ALLOW User:a ALTER TOPIC t'], 'User:a DESCRIBE TOPIC t', true],
  ['CREATE does not imply DESCRIBE', ['ALLOW User:a CREATE TOPIC t'], 'User:a DESCRIBE TOPIC t', false],
  [
    'ALTER_CONFIGS implies DESCRIBE_CONFIGS',
    ['ALLOW User:a ALTER_CONFIGS TOPIC t'],
    'User:a DESCRIBE_CONFIGS TOPIC t',
    true,
  ],
  [
    'ALTER_CONFIGS does not imply DESCRIBE',
    ['ALLOW User:a ALTER_CONFIGS TOPIC t'],
    'User:a DESCRIBE TOPIC t',
    false,
  ],
  ['DESCRIBE does not imply READ', ['ALLOW User:a DESCRIBE TOPIC t'], 'User:a READ TOPIC t', false],
  [
    'DENY READ leaves DESCRIBE',
    ['ALLOW User:a DESCRIBE TOPIC t', 'DENY User:a READ TOPIC t'],
    'User:a DESCRIBE TOPIC t',
    true,
  ],
  ['a host', ['ALLOW User:a READ TOPIC t 10.0.0.7'], 'User:a READ TOPIC t', true],
  ['another host', ['ALLOW User:a READ TOPIC t 10.0.0.8'], 'User:a READ TOPIC t', false],
  ['denied from one host', [anyoneReads, 'DENY User:a READ TOPIC t 10.0.0.7'], 'User:a READ TOPIC t', false],
  [
    'a workload of a trust domain',
    ['ALLOW User:spiffe://prod/* READ TOPIC t'],
    'User:spiffe://prod/billing/api READ TOPIC t',
    true,
  ],
  [
    'a workload of another trust domain',
    ['ALLOW User:spiffe://prod/* READ TOPIC t'],
    'User:spiffe://production/api READ TOPIC t',
    false,
  ],
  [
    'a star deeper in the path matches no principal',
    ['ALLOW User:spiffe://prod/billing/* READ TOPIC t'],
    'User:spiffe://prod/billing/api READ TOPIC t',
    false,
  ],
  ['a star is no pattern of users', ['ALLOW User:a* READ TOPIC t'], 'User:ab READ TOPIC t', false],
];

for (const [title, rules, access, isAllowed] of table) {
  test(`${title}: ${isAllowed ? 'allowed' : 'denied'}`, () => {
    assert.equal(AclIndex.of(rules.map(rule)).decide(question(access)).isAllowed, isAllowed);
  });
}

const deciding: [rules: string[], access: string, decides: string | undefined][] = [
  [[], 'User:a READ TOPIC t', undefined],
  [['ALLOW User:b READ TOPIC t'], 'User:a READ TOPIC t', undefined],
  [['ALLOW User:a READ TOPIC t'], 'User:a DESCRIBE TOPIC t', 'ALLOW User:a READ TOPIC t'],
  [
    ['ALLOW User:a READ TOPIC t', 'ALLOW User:a READ TOPIC *'],
    'User:a READ TOPIC t',
    'ALLOW User:a READ TOPIC t',
  ],
  [
    ['ALLOW User:a READ TOPIC t', 'DENY User:* ALL TOPIC t PREFIXED'],
    'User:a READ TOPIC tt',
    'DENY User:* ALL TOPIC t PREFIXED',
  ],
];

for (const [rules, access, decides] of deciding) {
  test(`${access} is decided by ${decides ?? 'no rule'}`, () => {
    const { rule: found } = AclIndex.of(rules.map(rule)).decide(question(access));
    assert.deepEqual(found, decides === undefined ? undefined : rule(decides));
  });
}

const some: [title: string, rules: string[], isAllowed: boolean][] = [
  ['without rules', [], false],
  ['one name', ['ALLOW User:a WRITE TOPIC t'], true],
  ['one name that is denied', ['ALLOW User:a WRITE TOPIC t', 'DENY User:* WRITE TOPIC t'], false],
  [
    'one name below a denied prefix',
    ['ALLOW User:a WRITE TOPIC tt', 'DENY User:a ALL TOPIC t PREFIXED'],
    false,
  ],
  [
    'a prefix below a denied one',
    ['ALLOW User:a WRITE TOPIC tt PREFIXED', 'DENY User:a ALL TOPIC t PREFIXED'],
    false,
  ],
  [
    'a prefix with a hole',
    ['ALLOW User:a WRITE TOPIC t PREFIXED', 'DENY User:a ALL TOPIC tt PREFIXED'],
    true,
  ],
  [
    'a prefix of which one name is denied',
    ['ALLOW User:a WRITE TOPIC t PREFIXED', 'DENY User:a ALL TOPIC t'],
    true,
  ],
  ['every name but some', ['ALLOW User:a WRITE TOPIC *', 'DENY User:a WRITE TOPIC t PREFIXED'], true],
  ['every name, and every name denied', ['ALLOW User:a ALL TOPIC *', 'DENY User:* WRITE TOPIC *'], false],
  ['another operation', ['ALLOW User:a READ TOPIC *'], false],
  ['another host', ['ALLOW User:a WRITE TOPIC * 10.0.0.8'], false],
];

for (const [title, rules, isAllowed] of some) {
  test(`WRITE on some topic, ${title}: ${isAllowed}`, () => {
    const { resourceName: _, ...query } = question('User:a WRITE TOPIC t');
    assert.equal(AclIndex.of(rules.map(rule)).allowsOnSome(query), isAllowed);
  });
}

/** The documented decision rule, evaluated rule by rule without an index. */
function naively(rules: readonly Acl[], query: AclQuestion): boolean {
  const isAbout = (acl: Acl) => {
    const isPrincipal = [...query.principals, 'User:*'].some(
      (principal) =>
        acl.principal === principal ||
        (/^User:spiffe:\/\/[^/]+\/\*$/.test(acl.principal) &&
          principal.startsWith(acl.principal.slice(0, -1)) &&
          principal.length >= acl.principal.length),
    );
    const isResource =
      acl.patternType === 'LITERAL'
        ? acl.resourceName === '*' || acl.resourceName === query.resourceName
        : acl.resourceName !== '*' && query.resourceName.indexOf(acl.resourceName) === 0;
    return (
      isPrincipal &&
      isResource &&
      acl.resourceType === query.resourceType &&
      (acl.host === '*' || acl.host === query.host)
    );
  };
  const about = rules.filter(isAbout);
  const isSame = ({ operation }: Acl) => operation === 'ALL' || operation === query.operation;
  if (about.some((acl) => acl.permission === 'DENY' && isSame(acl))) return false;
  return about.some((acl) => {
    if (acl.permission !== 'ALLOW') return false;
    if (isSame(acl)) return true;
    if (query.operation === 'DESCRIBE') return /^(READ|WRITE|DELETE|ALTER)$/.test(acl.operation);
    return query.operation === 'DESCRIBE_CONFIGS' && acl.operation === 'ALTER_CONFIGS';
  });
}

const principals = ['User:a', 'User:b', 'User:spiffe://d/x', 'User:spiffe://d/y/z', 'User:spiffe://e/x'];
const operations = Object.keys(aclOperations) as Acl['operation'][];
const needed = operations.filter((operation): operation is NeededOperation => operation !== 'ALL');
/** Few letters, so that names and prefixes collide. */
const anyName = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 4 });
const anyHost = fc.constantFrom('10.0.0.1', '10.0.0.2');
const anyAcl: fc.Arbitrary<Acl> = fc.record({
  resourceType: fc.constantFrom<Acl['resourceType']>('TOPIC', 'GROUP'),
  resourceName: fc.oneof(anyName, fc.constant('*')),
  patternType: fc.constantFrom<Acl['patternType']>('LITERAL', 'PREFIXED'),
  principal: fc.constantFrom(...principals, 'User:*', 'User:spiffe://d/*', 'User:spiffe://d/y/*'),
  host: fc.oneof(anyHost, fc.constant('*')),
  operation: fc.constantFrom(...operations),
  permission: fc.constantFrom<Acl['permission']>('ALLOW', 'ALLOW', 'DENY'),
});
const anyQuestion: fc.Arbitrary<AclQuestion> = fc.record({
  principals: fc.uniqueArray(fc.constantFrom(...principals), { minLength: 1, maxLength: 3 }),
  host: anyHost,
  operation: fc.constantFrom(...needed),
  resourceType: fc.constantFrom<Acl['resourceType']>('TOPIC', 'GROUP'),
  resourceName: anyName,
});

describe('the index', () => {
  test('decides as rule by rule, while rules come and go', () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: anyAcl.map((put) => ({ put })) },
      { weight: 1, arbitrary: fc.nat().map((gone) => ({ gone })) },
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 40 }),
        fc.array(anyQuestion, { maxLength: 20 }),
        (steps, questions) => {
          const index = new AclIndex();
          const rules: Acl[] = [];
          const isSame = (acl: Acl) => (other: Acl) => JSON.stringify(other) === JSON.stringify(acl);
          for (const one of steps) {
            if ('put' in one) {
              index.put(one.put);
              if (!rules.some(isSame(one.put))) rules.push(one.put);
            } else if (rules.length > 0) {
              const [acl] = rules.splice(one.gone % rules.length, 1);
              index.delete(acl!);
            }
          }
          for (const question of questions) {
            const { isAllowed, rule: decided } = index.decide(question);
            assert.equal(isAllowed, naively(rules, question));
            if (decided === undefined) continue;
            // The deciding rule exists.
            assert.equal(decided.permission, isAllowed ? 'ALLOW' : 'DENY');
            const { resourceType, resourceName, patternType, principal, host, operation, permission } =
              decided;
            assert.ok(
              rules.some(
                (acl) =>
                  acl.resourceType === resourceType &&
                  acl.resourceName === resourceName &&
                  acl.patternType === patternType &&
                  acl.principal === principal &&
                  acl.host === host &&
                  acl.operation === operation &&
                  acl.permission === permission,
              ),
            );
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('allows on some resource when there is a name on which it allows', () => {
    fc.assert(
      fc.property(
        fc.array(anyAcl, { maxLength: 30 }),
        anyQuestion,
        (rules, { resourceName: _, ...query }) => {
          // No rule contains the letter z, so these names represent all names that no rule mentions.
          const names = [
            'z',
            ...rules.map(({ resourceName }) => resourceName),
            ...rules.map((acl) => `${acl.resourceName}z`),
          ];
          const isAllowed = names.some((resourceName) => naively(rules, { ...query, resourceName }));
          assert.equal(AclIndex.of(rules).allowsOnSome(query), isAllowed);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('a resource named * is decided by the rule for every name', () => {
    const index = AclIndex.of([rule('ALLOW User:a READ GROUP *')]);
    assert.equal(index.decide(question('User:a READ GROUP *')).isAllowed, true);
  });
});
