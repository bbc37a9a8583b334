/**
 * ACL terms and their numbers in the Kafka protocol. Terms that stand for several values (`ANY`, `MATCH`) exist only in
 * filters.
 */
export const kafkaResourceTypes = {
  TOPIC: 2,
  GROUP: 3,
  CLUSTER: 4,
  TRANSACTIONAL_ID: 5,
  DELEGATION_TOKEN: 6,
  USER: 7,
} as const;
export type KafkaResourceType = keyof typeof kafkaResourceTypes;

/** Resources of the schema registry. The Kafka protocol has no numbers for them, so Kafka clients never see them. */
const registryResourceTypes = ['SUBJECT', 'REGISTRY'] as const;

export type AclResourceType = KafkaResourceType | (typeof registryResourceTypes)[number];

export const aclResourceTypes: readonly AclResourceType[] = [
  ...(Object.keys(kafkaResourceTypes) as KafkaResourceType[]),
  ...registryResourceTypes,
];

export const aclOperations = {
  ALL: 2,
  READ: 3,
  WRITE: 4,
  CREATE: 5,
  DELETE: 6,
  ALTER: 7,
  DESCRIBE: 8,
  CLUSTER_ACTION: 9,
  DESCRIBE_CONFIGS: 10,
  ALTER_CONFIGS: 11,
  IDEMPOTENT_WRITE: 12,
  CREATE_TOKENS: 13,
  DESCRIBE_TOKENS: 14,
  TWO_PHASE_COMMIT: 15,
} as const;
export type AclOperation = keyof typeof aclOperations;

export const aclPatternTypes = { LITERAL: 3, PREFIXED: 4 } as const;
export type AclPatternType = keyof typeof aclPatternTypes;

export const aclPermissions = { DENY: 2, ALLOW: 3 } as const;
export type AclPermission = keyof typeof aclPermissions;

/** One rule. */
export interface Acl {
  readonly resourceType: AclResourceType;
  /** `*` with a literal pattern matches every name. */
  readonly resourceName: string;
  readonly patternType: AclPatternType;
  /** `User:name`; `User:*` matches every user. */
  readonly principal: string;
  /** An address, or `*` for any. */
  readonly host: string;
  readonly operation: AclOperation;
  readonly permission: AclPermission;
}

/** The resource name of the cluster itself. */
export const clusterResourceName = 'kafka-cluster';

/** The resource name of the schema registry as a whole. */
export const registryResourceName = 'schema-registry';

/** An operation to authorize. */
export type NeededOperation = Exclude<AclOperation, 'ALL'>;

/** The operations of each resource type that anything asks for. A rule with any other operation never decides. */
export const operationsOfResource = {
  TOPIC: ['READ', 'WRITE', 'CREATE', 'DELETE', 'ALTER', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
  GROUP: ['READ', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
  CLUSTER: [
    'CREATE',
    'ALTER',
    'DESCRIBE',
    'CLUSTER_ACTION',
    'DESCRIBE_CONFIGS',
    'ALTER_CONFIGS',
    'IDEMPOTENT_WRITE',
  ],
  TRANSACTIONAL_ID: ['DESCRIBE', 'WRITE', 'TWO_PHASE_COMMIT'],
  DELEGATION_TOKEN: ['DESCRIBE'],
  USER: ['CREATE_TOKENS', 'DESCRIBE_TOKENS'],
  SUBJECT: ['READ', 'WRITE', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
  REGISTRY: ['READ', 'WRITE', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS', 'ALTER_CONFIGS'],
} as const satisfies Record<AclResourceType, readonly NeededOperation[]>;

/** Encodes operations as the bit field that Kafka sends to clients: one bit for each by its number. */
export function operationBits(operations: Iterable<NeededOperation>): number {
  let bits = 0;
  for (const operation of operations) bits |= 1 << aclOperations[operation];
  return bits;
}
