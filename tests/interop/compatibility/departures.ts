/**
 * Where Weir answers a client otherwise than Apache Kafka 4.3 does, and why. This table is the one place; the page
 * docs/compatibility.md is rendered from it (`npm run docs`).
 *
 * A row goes when the departure goes. What a client never sees (how records are kept, who leads) is no departure.
 */
export interface Departure {
  readonly area: 'protocol' | 'topics' | 'produce' | 'fetch' | 'groups' | 'administration' | 'security';
  /** What a client asks for. */
  readonly subject: string;
  readonly apache: string;
  readonly weir: string;
  readonly reason: string;
}

export const departures: readonly Departure[] = [
  {
    area: 'protocol',
    subject: 'tagged fields out of order, twice, or of another size than declared',
    apache: 'accepts them',
    weir: 'closes the connection',
    reason: 'a message that contradicts itself is not guessed at; no tested client sends one (ADR 0004)',
  },
  {
    area: 'protocol',
    subject: 'idle connections',
    apache: 'closes them after 10 minutes (`connections.max.idle.ms`)',
    weir: 'closes them after 1 hour',
    reason: 'part of the contract of the service',
  },
  {
    area: 'protocol',
    subject: 'delegation tokens, streams groups (KIP-1071)',
    apache: 'serves them',
    weir: 'does not offer these APIs',
    reason: 'not built',
  },
  {
    area: 'topics',
    subject: 'rack of brokers in Metadata',
    apache: '`broker.rack`',
    weir: '`service-fake-rack` for every agent',
    reason: 'any agent serves any partition, and the zone of a client decides which one it is shown',
  },
  {
    area: 'topics',
    subject: 'replicas and leader epochs',
    apache: 'as many replicas as the replication factor; epochs grow with elections',
    weir: 'three replicas whatever the factor; the epoch is 0',
    reason: 'object storage replicates, and agents keep no log of their own (ADR 0015)',
  },
  {
    area: 'topics',
    subject: '`__consumer_offsets`, `__transaction_state`, `__share_group_state`',
    apache: 'are internal topics, which clients may read',
    weir: 'do not exist',
    reason: 'this state lives in the control plane',
  },
  {
    area: 'topics',
    subject: 'default of `retention.ms`',
    apache: '7 days',
    weir: '24 hours',
    reason: 'part of the contract of the service',
  },
  {
    area: 'produce',
    subject: '`max.message.bytes`',
    apache: 'limits a compressed batch',
    weir: 'limits a record',
    reason: 'part of the contract of the service; batches are limited by the size of a request',
  },
  {
    area: 'fetch',
    subject: 'Fetch of a name that does not exist (before v13)',
    apache: '`UNKNOWN_TOPIC_OR_PARTITION`',
    weir: '`INVALID_TOPIC_EXCEPTION`',
    reason: 'part of the contract of the service',
  },
  {
    area: 'groups',
    subject: 'coordinators that cannot be reached',
    apache: '`COORDINATOR_NOT_AVAILABLE` or `COORDINATOR_LOAD_IN_PROGRESS`',
    weir: '`COORDINATOR_LOAD_IN_PROGRESS`',
    reason: 'clients try again with the agent that they know, and every agent can coordinate',
  },
  {
    area: 'security',
    subject: 'SASL mechanisms',
    apache: 'PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER, GSSAPI',
    weir: 'PLAIN, SCRAM-SHA-512, OAUTHBEARER',
    reason: 'part of the contract of the service',
  },
  {
    area: 'security',
    subject: '`allow.everyone.if.no.acl.found`',
    apache: 'can be turned on',
    weir: 'does not exist; what no rule allows is denied',
    reason: 'an authorizer that is on denies (docs/reference/acls.md)',
  },
  {
    area: 'security',
    subject: 'ACLs of pattern type `PREFIXED` with the name `*`',
    apache: 'match names that begin with a star',
    weir: 'match nothing',
    reason: 'no topic can have such a name, and the rule is nearly always a mistake for LITERAL `*`',
  },
];
