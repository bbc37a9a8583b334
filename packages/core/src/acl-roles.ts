import {
  type Acl,
  type AclOperation,
  type AclPatternType,
  type AclResourceType,
  clusterResourceName,
} from './acl.ts';

/** The resources that one or several rules are about. */
interface ResourcePattern {
  readonly name: string;
  readonly patternType: AclPatternType;
}

export const aclRoleInputs = {
  topics: 'Topics',
  outputTopics: 'Output topics',
  internalTopics: 'Internal topics',
  groups: 'Consumer groups',
  transactionalIds: 'Transactional ids',
  applicationId: 'Application id',
  prefix: 'Prefix',
} as const;
export type AclRoleInput = keyof typeof aclRoleInputs;

interface Grant {
  readonly resourceType: AclResourceType;
  /** Where the resources come from; without it the grant is about the cluster itself. */
  readonly input?: AclRoleInput;
  /** Replaces that of the input: names that begin with what was given. */
  readonly patternType?: AclPatternType;
  readonly operations: readonly AclOperation[];
}

interface AclRole {
  readonly title: string;
  /** What one with the role can do. */
  readonly description: string;
  readonly inputs: readonly AclRoleInput[];
  /** What the role also works without. */
  readonly optional?: readonly AclRoleInput[];
  readonly grants: readonly Grant[];
}

const readTopics = {
  resourceType: 'TOPIC',
  input: 'topics',
  operations: ['READ', 'DESCRIBE'],
} as const satisfies Grant;

const readGroups = { resourceType: 'GROUP', input: 'groups', operations: ['READ'] } as const satisfies Grant;

const writeTopics = {
  resourceType: 'TOPIC',
  input: 'topics',
  operations: ['WRITE', 'DESCRIBE', 'CREATE'],
} as const satisfies Grant;

/** What kinds of applications need. The first two are those of `kafka-acls --consumer` and `--producer`. */
const aclRoles = {
  consumer: {
    title: 'Consumer',
    description: 'Reads topics as a member of consumer groups.',
    inputs: ['topics', 'groups'],
    grants: [readTopics, readGroups],
  },
  producer: {
    title: 'Producer',
    description: 'Writes topics and creates them if they are missing.',
    inputs: ['topics'],
    grants: [writeTopics],
  },
  'transactional-producer': {
    title: 'Transactional producer',
    description: 'Writes topics in transactions, and the offsets of groups if it also consumes.',
    inputs: ['topics', 'transactionalIds', 'groups'],
    optional: ['groups'],
    grants: [
      writeTopics,
      { resourceType: 'TRANSACTIONAL_ID', input: 'transactionalIds', operations: ['WRITE', 'DESCRIBE'] },
      readGroups,
    ],
  },
  streams: {
    title: 'Kafka Streams application',
    description: 'Reads and writes topics, and manages the internal topics and state of its application id.',
    inputs: ['topics', 'outputTopics', 'applicationId'],
    optional: ['outputTopics'],
    grants: [
      readTopics,
      { resourceType: 'TOPIC', input: 'outputTopics', operations: ['WRITE', 'DESCRIBE'] },
      {
        resourceType: 'TOPIC',
        input: 'applicationId',
        patternType: 'PREFIXED',
        operations: ['READ', 'WRITE', 'CREATE', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS'],
      },
      {
        resourceType: 'GROUP',
        input: 'applicationId',
        patternType: 'PREFIXED',
        operations: ['READ', 'DESCRIBE', 'DELETE'],
      },
      {
        resourceType: 'TRANSACTIONAL_ID',
        input: 'applicationId',
        patternType: 'PREFIXED',
        operations: ['WRITE', 'DESCRIBE'],
      },
    ],
  },
  connect: {
    title: 'Kafka Connect worker',
    description: 'Runs connectors: stores their state in internal topics, and reads and writes their topics.',
    inputs: ['topics', 'internalTopics', 'groups'],
    grants: [
      { resourceType: 'TOPIC', input: 'topics', operations: ['READ', 'WRITE', 'DESCRIBE', 'CREATE'] },
      {
        resourceType: 'TOPIC',
        input: 'internalTopics',
        operations: ['READ', 'WRITE', 'DESCRIBE', 'CREATE', 'DESCRIBE_CONFIGS'],
      },
      { resourceType: 'GROUP', input: 'groups', operations: ['READ', 'DESCRIBE'] },
    ],
  },
  'prefix-admin': {
    title: 'Administrator of a prefix',
    description:
      'Does everything with topics, groups, transactional ids and subjects whose names begin with a prefix.',
    inputs: ['prefix'],
    grants: (['TOPIC', 'GROUP', 'TRANSACTIONAL_ID', 'SUBJECT'] as const).map((resourceType) => ({
      resourceType,
      input: 'prefix' as const,
      patternType: 'PREFIXED' as const,
      operations: ['ALL'] as const,
    })),
  },
  monitor: {
    title: 'Monitoring',
    description: 'Sees topics, groups, configs and offsets, and reads no records.',
    inputs: ['topics', 'groups'],
    grants: [
      { resourceType: 'TOPIC', input: 'topics', operations: ['DESCRIBE', 'DESCRIBE_CONFIGS'] },
      { resourceType: 'GROUP', input: 'groups', operations: ['DESCRIBE'] },
      { resourceType: 'CLUSTER', operations: ['DESCRIBE', 'DESCRIBE_CONFIGS'] },
    ],
  },
} as const satisfies Record<string, AclRole>;
export type AclRoleName = keyof typeof aclRoles;

export const aclRoleNames = Object.keys(aclRoles) as readonly AclRoleName[];

export function aclRole(name: AclRoleName): AclRole {
  return aclRoles[name];
}

/** The inputs that a role needs and that have no resources. */
export function missingRoleInputs(
  name: AclRoleName,
  given: Partial<Record<AclRoleInput, readonly ResourcePattern[]>>,
): readonly AclRoleInput[] {
  const { inputs, optional = [] } = aclRole(name);
  return inputs.filter((input) => !optional.includes(input) && (given[input] ?? []).length === 0);
}

/** The rules of a role for one principal, without duplicates. */
export function rulesOfRole(
  name: AclRoleName,
  given: Partial<Record<AclRoleInput, readonly ResourcePattern[]>>,
  { principal, host }: Pick<Acl, 'principal' | 'host'>,
): readonly Acl[] {
  const rules = new Map<string, Acl>();
  for (const { resourceType, input, patternType, operations } of aclRole(name).grants) {
    const resources: readonly ResourcePattern[] =
      input === undefined ? [{ name: clusterResourceName, patternType: 'LITERAL' }] : (given[input] ?? []);
    for (const resource of resources) {
      for (const operation of operations) {
        const rule: Acl = {
          resourceType,
          resourceName: resource.name,
          // All names are one literal pattern, also where a prefix is meant.
          patternType: resource.name === '*' ? 'LITERAL' : (patternType ?? resource.patternType),
          principal,
          host,
          operation,
          permission: 'ALLOW',
        };
        rules.set(JSON.stringify([resourceType, rule.resourceName, rule.patternType, operation]), rule);
      }
    }
  }
  return [...rules.values()];
}

/** Reads names between commas or on lines: `orders`, `orders.*` for a prefix, `*` for all. */
export function readResourcePatterns(text: string): readonly ResourcePattern[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return [...new Set(words)].map((word) =>
    word !== '*' && word.endsWith('*')
      ? { name: word.slice(0, -1), patternType: 'PREFIXED' }
      : { name: word, patternType: 'LITERAL' },
  );
}
