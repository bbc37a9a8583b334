/**
 * Where Weir's behaviour differs from Apache Kafka 4.3, as seen by clients, and why. The page
 * docs/reference/compatibility.md is rendered from this table (`npm run docs`).
 *
 * Remove a row when the difference is gone. Internals that clients never see (storage of records, leadership) do not
 * belong here.
 */
interface Departure {
  readonly area: 'protocol' | 'topics' | 'produce' | 'fetch' | 'groups' | 'administration' | 'security';
  /** The feature or request. */
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
    subject: 'delegation tokens',
    apache: 'need `delegation.token.secret.key`; log in by SCRAM-SHA-256 or SCRAM-SHA-512; any number',
    weir: 'need sealing keys of the control plane; log in by SCRAM-SHA-512; at most 200 for a user and 2,000 in a cluster; end with a credential that is deleted; types of principals other than `User` are INVALID_PRINCIPAL_TYPE for owners too',
    reason:
      'HMACs are stored sealed, SCRAM-SHA-512 is the mechanism of the contract, and every agent holds all tokens (ADR 0210)',
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
    weir: 'the leader and its neighbours, as many as the replication factor and no more than there are agents; the epoch is 0',
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
    subject: 'records whose time is more than an hour ahead (`message.timestamp.after.max.ms`)',
    apache: 'INVALID_TIMESTAMP; the config is 1 hour by default',
    weir: 'takes them; the config is accepted, has no effect and is without limit by default',
    reason:
      'the time of each record is inside of its batch, and batches are not decompressed where no other rule asks for it',
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
    subject: 'coordinators that cannot be reached or fail',
    apache:
      '`COORDINATOR_NOT_AVAILABLE`, `COORDINATOR_LOAD_IN_PROGRESS` or `UNKNOWN_SERVER_ERROR`; TxnOffsetCommit before v2 never `COORDINATOR_LOAD_IN_PROGRESS`',
    weir: '`COORDINATOR_LOAD_IN_PROGRESS`, in every version',
    reason:
      'part of the contract of the service; clients try again with the agent that they know, and every agent can coordinate. Java producers before Kafka 2.0 end when TxnOffsetCommit returns it',
  },
  {
    area: 'groups',
    subject: 'a classic group whose members all leave while its first rebalance waits for more',
    apache:
      '`PreparingRebalance` until `group.initial.rebalance.delay.ms` has passed, in which commits without a member id get `UNKNOWN_MEMBER_ID`',
    weir: '`Empty` at once',
    reason: 'a group without members is empty, and a consumer that goes on with manual assignment can commit',
  },
  {
    area: 'groups',
    subject: 'regular expressions with many repetitions, in subscriptions and ListTransactions',
    apache: 'counts up to 1000, any number of them side by side',
    weir: '`INVALID_REGULAR_EXPRESSION` when the counts add up to more than about a thousand characters',
    reason: 'the time that the pattern of a client takes is limited (ADR 0019)',
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
  {
    area: 'topics',
    subject: 'a replication factor beyond the number of brokers',
    apache: '`INVALID_REPLICATION_FACTOR`',
    weir: 'accepts and keeps it, and shows as many replicas as there are agents; `min.insync.replicas` is not enforced',
    reason: 'object storage replicates, and agents come and go (ADR 0015)',
  },
  {
    area: 'topics',
    subject: 'brokers that an assignment of CreateTopics or CreatePartitions names',
    apache: 'have to exist and become the replicas',
    weir: 'are counted only',
    reason: 'which agents are shown is decided for every client',
  },
  {
    area: 'administration',
    subject: 'the active segment of a topic with `cleanup.policy=compact`',
    apache: 'up to `segment.bytes` and `segment.ms`, a week by default, are not compacted',
    weir: 'the newest 15 minutes, or `segment.ms` if it is shorter',
    reason: 'there are no segments',
  },
  {
    area: 'administration',
    subject: 'the last batch of each producer of a compacted topic',
    apache: 'stays, without records if need be',
    weir: 'goes with its records',
    reason: 'the state of producers is part of the metadata',
  },
  {
    area: 'administration',
    subject: 'a config of brokers that Kafka does not know',
    apache: 'accepts it, for plug-ins, and shows it as sensitive',
    weir: '`INVALID_CONFIG`, with the nearest name',
    reason: 'there are no plug-ins, so that an unknown name is a mistake',
  },
  {
    area: 'administration',
    subject: 'security and listener configs of brokers (`ssl.*`, `sasl.*`, `listeners`, `listener.name.*`)',
    apache: 'are described, and some can be changed while a broker runs',
    weir: '`INVALID_REQUEST`, and only `listeners` and `advertised.listeners` are described',
    reason: 'agent flags set them; accepting a change without effect would be unsafe',
  },
  {
    area: 'administration',
    subject: 'configs with an effect on all of a cluster, such as `log.retention.ms`, set for one broker',
    apache: 'count for the partitions of that broker',
    weir: '`INVALID_REQUEST`; without the name of a broker they are set for the cluster',
    reason: 'no partition belongs to an agent',
  },
  {
    area: 'administration',
    subject: 'DescribeConfigs of all brokers (an empty name)',
    apache: 'returns what is set',
    weir: 'returns every config',
    reason: 'the configs of the cluster are one catalogue (docs/reference/configs.md)',
  },
  {
    area: 'administration',
    subject: 'configs that can be set and have no effect',
    apache: 'none',
    weir: 'those that say so in their documentation (docs/reference/configs.md)',
    reason:
      'tools set them and compare what they read; there are no segments, replicas or tiers that they could be about',
  },
  {
    area: 'administration',
    subject: 'moving replicas (AlterPartitionReassignments)',
    apache: 'moves them',
    weir: '`POLICY_VIOLATION`, unless the replicas are those in place',
    reason: 'partitions lie in object storage',
  },
  {
    area: 'administration',
    subject: 'UnregisterBroker of a broker that runs',
    apache: 'forgets it',
    weir: '`POLICY_VIOLATION`',
    reason: 'agents register with every heartbeat and are forgotten without them',
  },
  {
    area: 'administration',
    subject: 'DescribeQuorum',
    apache: 'the controllers as voters and the brokers as observers',
    weir: 'the agent that is asked as the only voter; offset and epoch are those of the journal of the control plane',
    reason: 'clients reach agents, and not the control plane',
  },
  {
    area: 'administration',
    subject: '`Admin.abortTransaction` and `kafka-transactions abort` (WriteTxnMarkers)',
    apache: 'write a marker into the named partition',
    weir: 'abort the transaction as a whole and fence its producer; markers that commit are `INVALID_REQUEST`',
    reason: 'transactions end in all of their partitions at once (ADR 0020)',
  },
  {
    area: 'groups',
    subject: 'static members of streams groups (KIP-1071)',
    apache: '`INVALID_REQUEST`',
    weir: 'serves them as in consumer groups',
    reason: 'the protocol defines them; Java clients do not send them yet',
  },
  {
    area: 'groups',
    subject: 'standby tasks of streams groups',
    apache: 'go to the processes with the fewest tasks',
    weir: 'among those, prefer a `client.rack` without a copy of the task',
    reason: 'the loss of a zone leaves a copy',
  },
  {
    area: 'groups',
    subject: 'missing internal topics of streams groups',
    apache: 'are created after the heartbeat was answered; later answers tell of failures',
    weir: 'are created before the answer, which tells of failures',
    reason: 'an agent keeps nothing between two requests',
  },
  {
    area: 'groups',
    subject: '`share.auto.offset.reset=by_duration:…`',
    apache: 'begins with the first record of the age',
    weir: 'begins with the stored range that has it, whose first records may be older',
    reason: 'the leader of a cluster decides where a group begins, and has no records',
  },
];
