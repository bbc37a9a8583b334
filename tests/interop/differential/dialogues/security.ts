import type { Pair } from '../pair.ts';
import type { Dialogue } from './dialogue.ts';

const [any, topicType, groupType, clusterType, transactionalIdType, tokenType, userType] = [
  1, 2, 3, 4, 5, 6, 7,
];
const [literal, prefixed] = [3, 4];
const [read, write, all] = [3, 4, 2];
const [deny, allow] = [2, 3];

interface Rule {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly resourcePatternType: number;
  readonly principal: string;
  readonly host: string;
  readonly operation: number;
  readonly permissionType: number;
}

function ruleOf(pair: Pair, more: Partial<Rule> = {}): Rule {
  return {
    resourceType: topicType,
    resourceName: `${pair.prefix}-topic`,
    resourcePatternType: literal,
    principal: 'User:alice',
    host: '*',
    operation: read,
    permissionType: allow,
    ...more,
  };
}

const anyRule = {
  resourceTypeFilter: any,
  patternTypeFilter: any,
  principalFilter: null,
  hostFilter: null,
  operation: any,
  permissionType: any,
};

/** Rules of access, quotas, credentials and tokens. */
export const securityDialogues: readonly Dialogue[] = [
  ...(['CreateAcls', 'DescribeAcls', 'DeleteAcls'] as const).map((api) => ({
    name: 'the life of access rules',
    api,
    run: lifeOfAcls,
  })),
  {
    name: 'what is no access rule',
    api: 'CreateAcls',
    async run(pair) {
      for (const more of [
        { resourceType: any },
        { resourceType: 0 },
        { resourceType: 99 },
        { resourcePatternType: any },
        { resourcePatternType: 2 },
        { resourcePatternType: 0 },
        { principal: '' },
        { principal: 'alice' },
        { principal: 'Group:alice' },
        { principal: 'User:' },
        { principal: ':alice' },
        { host: '' },
        { host: 'nowhere' },
        { operation: any },
        { operation: 0 },
        { operation: 99 },
        { operation: 13 },
        { permissionType: any },
        { permissionType: 0 },
        { resourceName: '' },
        { resourceType: clusterType, resourceName: 'other' },
        { resourceType: clusterType, operation: read },
        { resourceType: groupType, operation: write },
        { resourceType: transactionalIdType, operation: read },
        { resourceType: tokenType, operation: write },
        { resourceType: userType, operation: read },
      ]) {
        await pair.ask('CreateAcls', { creations: [ruleOf(pair, more)] });
      }
      await pair.ask('CreateAcls', { creations: [] });
      await pair.ask('DeleteAcls', { filters: [{ ...anyRule, resourceNameFilter: `${pair.prefix}-topic` }] });
      await pair.ask('DeleteAcls', { filters: [{ ...anyRule, resourceNameFilter: '' }] });
      await pair.ask('DeleteAcls', { filters: [{ ...anyRule, resourceNameFilter: 'other' }] });
    },
  },
  {
    name: 'quotas of clients',
    api: 'AlterClientQuotas',
    run: quotas,
  },
  { name: 'quotas of clients', api: 'DescribeClientQuotas', run: quotas },
  { name: 'credentials of users', api: 'AlterUserScramCredentials', run: credentials },
  { name: 'credentials of users', api: 'DescribeUserScramCredentials', run: credentials },
  {
    name: 'tokens on a listener without login',
    api: 'CreateDelegationToken',
    async run(pair) {
      await pair.ask('CreateDelegationToken', { renewers: [], maxLifetimeMs: 60_000n });
    },
  },
  {
    name: 'tokens on a listener without login',
    api: 'RenewDelegationToken',
    async run(pair) {
      await pair.ask('RenewDelegationToken', { hmac: Buffer.from('none'), renewPeriodMs: 1_000n });
    },
  },
  {
    name: 'tokens on a listener without login',
    api: 'ExpireDelegationToken',
    async run(pair) {
      await pair.ask('ExpireDelegationToken', { hmac: Buffer.from('none'), expiryTimePeriodMs: -1n });
    },
  },
  {
    name: 'tokens on a listener without login',
    api: 'DescribeDelegationToken',
    async run(pair) {
      await pair.ask('DescribeDelegationToken', { owners: null });
      await pair.ask('DescribeDelegationToken', { owners: [] });
    },
  },
  {
    name: 'a login on a listener without login',
    api: 'SaslHandshake',
    async run(pair) {
      for (const mechanism of ['PLAIN', 'nonsense', '']) await pair.ask('SaslHandshake', { mechanism });
    },
  },
  {
    name: 'a login on a listener without login',
    api: 'SaslAuthenticate',
    async run(pair) {
      await pair.ask('SaslAuthenticate', { authBytes: Buffer.from('\0alice\0secret') });
    },
  },
];

async function lifeOfAcls(pair: Pair): Promise<void> {
  const resourceName = `${pair.prefix}-topic`;
  const rules = [
    ruleOf(pair),
    ruleOf(pair, { operation: write }),
    ruleOf(pair, { permissionType: deny, principal: 'User:bob', host: '10.0.0.1' }),
    ruleOf(pair, { resourcePatternType: prefixed }),
    ruleOf(pair, { resourceType: groupType, operation: all }),
  ];
  await pair.ask('CreateAcls', { creations: rules });
  await pair.ask('CreateAcls', { creations: [rules[0]!, rules[0]!] });
  const filters = [
    anyRule,
    { ...anyRule, resourceTypeFilter: topicType },
    { ...anyRule, patternTypeFilter: 2 },
    { ...anyRule, patternTypeFilter: literal },
    { ...anyRule, patternTypeFilter: prefixed },
    { ...anyRule, principalFilter: 'User:alice' },
    { ...anyRule, principalFilter: 'User:carol' },
    { ...anyRule, hostFilter: '10.0.0.1' },
    { ...anyRule, hostFilter: '*' },
    { ...anyRule, operation: write },
    { ...anyRule, operation: all },
    { ...anyRule, permissionType: deny },
    { ...anyRule, resourceTypeFilter: 0 },
    { ...anyRule, patternTypeFilter: 0 },
    { ...anyRule, operation: 0 },
    { ...anyRule, permissionType: 0 },
    { ...anyRule, operation: 99 },
  ];
  for (const filter of filters)
    await pair.ask('DescribeAcls', { ...filter, resourceNameFilter: resourceName });
  await pair.ask('DescribeAcls', {
    ...anyRule,
    patternTypeFilter: 2,
    resourceNameFilter: `${resourceName}-more`,
  });
  await pair.ask('DeleteAcls', {
    filters: [
      { ...anyRule, resourceNameFilter: resourceName, operation: write },
      { ...anyRule, resourceNameFilter: `${resourceName}-absent` },
    ],
  });
  await pair.ask('DeleteAcls', { filters: [{ ...anyRule, resourceNameFilter: resourceName, operation: 0 }] });
  await pair.ask('DeleteAcls', { filters: [{ ...anyRule, resourceNameFilter: resourceName }] });
  await pair.ask('DescribeAcls', { ...anyRule, resourceNameFilter: resourceName });
  await pair.ask('DeleteAcls', { filters: [] });
}

async function quotas(pair: Pair): Promise<void> {
  const user = `${pair.prefix}-user`;
  const alter = (
    entity: readonly { entityType: string; entityName: string | null }[],
    key: string,
    value: number,
    more: { readonly remove?: boolean; readonly validateOnly?: boolean } = {},
  ) =>
    pair.ask('AlterClientQuotas', {
      entries: [{ entity, ops: [{ key, value, remove: more.remove ?? false }] }],
      validateOnly: more.validateOnly ?? false,
    });
  const described = (
    components: readonly { entityType: string; matchType: number; match: string | null }[],
    strict = false,
  ) => pair.ask('DescribeClientQuotas', { components, strict });
  const ofUser = [{ entityType: 'user', entityName: user }];
  const ofBoth = [...ofUser, { entityType: 'client-id', entityName: `${pair.prefix}-client` }];
  await alter(ofUser, 'consumer_byte_rate', 1e6, { validateOnly: true });
  await alter(ofUser, 'consumer_byte_rate', 1e6);
  await alter(ofBoth, 'producer_byte_rate', 2e6);
  for (const strict of [false, true])
    await described([{ entityType: 'user', matchType: 0, match: user }], strict);
  await described([
    { entityType: 'user', matchType: 0, match: user },
    { entityType: 'client-id', matchType: 2, match: null },
  ]);
  for (const [entityType, matchType, match] of [
    ['user', 1, null],
    ['user', 9, null],
    ['user', 0, null],
    ['user', 1, 'x'],
    ['nonsense', 0, 'x'],
    ['', 2, null],
    ['ip', 0, '10.9.9.9'],
    ['client-id', 0, `${pair.prefix}-client`],
  ] as const) {
    await described([{ entityType, matchType, match }]);
  }
  await described([
    { entityType: 'user', matchType: 0, match: user },
    { entityType: 'user', matchType: 0, match: user },
  ]);
  for (const [key, value] of [
    ['nonsense', 1],
    ['', 1],
    ['consumer_byte_rate', 0],
    ['consumer_byte_rate', -5],
    ['consumer_byte_rate', 0.5],
    ['request_percentage', 0.5],
    ['controller_mutation_rate', 5],
    ['connection_creation_rate', 5],
  ] as const) {
    await alter(ofUser, key, value, { validateOnly: true });
  }
  for (const entity of [
    [],
    [{ entityType: 'nonsense', entityName: 'a' }],
    [{ entityType: 'user', entityName: '' }],
    [{ entityType: 'client-id', entityName: '' }],
    [{ entityType: 'ip', entityName: 'no address' }],
    [...ofUser, ...ofUser],
    [...ofUser, { entityType: 'ip', entityName: '10.0.0.1' }],
  ]) {
    await alter(entity, 'consumer_byte_rate', 1e6, { validateOnly: true });
  }
  await alter([{ entityType: 'ip', entityName: '10.0.0.1' }], 'connection_creation_rate', 100, {
    validateOnly: true,
  });
  await alter(ofUser, 'consumer_byte_rate', 0, { remove: true });
  await alter(ofUser, 'consumer_byte_rate', 0, { remove: true });
  await alter(ofBoth, 'producer_byte_rate', 0, { remove: true });
  await described([{ entityType: 'user', matchType: 0, match: user }]);
}

async function credentials(pair: Pair): Promise<void> {
  const [alice, bob] = [`${pair.prefix}-alice`, `${pair.prefix}-bob`];
  const sha512 = 2;
  const upsertion = (name: string, more: object = {}) => ({
    name,
    mechanism: sha512,
    iterations: 4096,
    salt: Buffer.alloc(16, 1),
    saltedPassword: Buffer.alloc(64, 2),
    ...more,
  });
  const alter = (upsertions: readonly ReturnType<typeof upsertion>[], deletions: readonly string[] = []) =>
    pair.ask('AlterUserScramCredentials', {
      upsertions,
      deletions: deletions.map((name) => ({ name, mechanism: sha512 })),
    });
  const described = (names: readonly string[]) =>
    pair.ask('DescribeUserScramCredentials', { users: names.map((name) => ({ name })) });
  await described([alice]);
  await alter([upsertion(alice), upsertion(bob, { iterations: 8192 })]);
  await described([alice, bob, `${pair.prefix}-absent`]);
  await described([alice, alice]);
  await described(['']);
  for (const more of [
    { iterations: 1 },
    { iterations: 4095 },
    { iterations: 16_385 },
    { mechanism: 0 },
    { mechanism: 9 },
    { name: '' },
    { salt: Buffer.alloc(0) },
    { saltedPassword: Buffer.alloc(0) },
  ]) {
    await alter([upsertion(alice, more)]);
  }
  await alter([upsertion(alice), upsertion(alice)]);
  await alter([upsertion(alice)], [alice]);
  await alter([], [`${pair.prefix}-absent`, '']);
  await alter([], [alice, bob]);
  await alter([], [alice]);
  await described([alice, bob]);
  await alter([]);
}
