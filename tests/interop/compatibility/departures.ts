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

export const departures = [
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
    area: 'protocol',
    subject:
      'requests of brokers to each other that Apache Kafka offers to clients (83 to 87, share group state)',
    apache: 'are in ApiVersions',
    weir: 'do not exist',
    reason: 'this state lives in the control plane',
  },
  {
    area: 'protocol',
    subject: 'ApiVersions in a version that is not served',
    apache:
      'UNSUPPORTED_VERSION with the versions of ApiVersions; closes the connection if the header is that of v0 to v2',
    weir: 'UNSUPPORTED_VERSION with the versions of all requests, whatever the header',
    reason: 'a client can go on without asking again',
  },
  {
    area: 'protocol',
    subject: 'texts beside error codes',
    apache: 'some errors have none',
    weir: 'every error has one, where the answer has a place for it',
    reason: 'they help',
  },
  {
    area: 'security',
    subject: 'a login on a listener that needs none',
    apache: '`ILLEGAL_SASL_STATE`',
    weir: 'is accepted with the mechanisms of the agent; SaslAuthenticate without a handshake closes the connection',
    reason: 'one listener serves clients with and without credentials until authentication is required',
  },
  {
    area: 'security',
    subject: 'rules and filters of ACLs with unknown elements',
    apache: '0 closes the connection; in filters, numbers without a meaning match nothing',
    weir: '`INVALID_REQUEST`',
    reason: 'an answer tells what is wrong',
  },
  {
    area: 'groups',
    subject: 'the empty group id',
    apache: 'offsets can be committed and fetched, for clients before Kafka 2.2',
    weir: '`INVALID_GROUP_ID` for commits; to other requests a group without a name does not exist',
    reason: 'deprecated by KIP-289; a group has a name',
  },
  {
    area: 'groups',
    subject: 'OffsetCommit before v9 by members of consumer groups',
    apache: '`UNSUPPORTED_VERSION`',
    weir: 'is held to the epoch as later versions are',
    reason: 'every version has the field that carries the epoch; no client sends one',
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
    subject:
      'records whose time is too far from the present (`message.timestamp.after.max.ms`, `message.timestamp.before.max.ms`)',
    apache: 'INVALID_TIMESTAMP; the first of these configs is 1 hour by default',
    weir: 'takes them; the configs are accepted, have no effect and are without limit by default',
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
    area: 'fetch',
    subject: 'Fetch with the epoch of the last record that was fetched',
    apache: 'tells where the log of a replica diverges (KIP-595)',
    weir: 'ignores the epoch',
    reason: 'only replicas send it, and agents keep no log of their own',
  },
  {
    area: 'topics',
    subject: 'default replication factor',
    apache: '1 (`default.replication.factor`)',
    weir: '3',
    reason: 'tools warn of less, and object storage replicates',
  },
  {
    area: 'topics',
    subject: 'configs of topics that begin with `service.`',
    apache: 'do not exist',
    weir: 'are part of each description',
    reason: 'part of the contract of the service',
  },
  {
    area: 'topics',
    subject: '`min.insync.replicas` in descriptions',
    apache: 'comes from a config that the cluster sets for itself (source 3)',
    weir: 'is a default (source 5)',
    reason: 'there are no replicas that fall behind',
  },
  {
    area: 'topics',
    subject: 'the id of a topic that CreateTopics only validates',
    apache: 'one that no topic will have',
    weir: 'none',
    reason: 'nothing is created',
  },
  {
    area: 'protocol',
    subject:
      'requests that contradict themselves: unknown isolation levels, ids with names, names that are null or empty',
    apache: '`UNKNOWN_SERVER_ERROR`, for all of the request where it cannot be told apart',
    weir: 'the error of the one element (`INVALID_REQUEST`, `INVALID_TOPIC_EXCEPTION`), or what the rest of the request asks for',
    reason: 'the error of a server says that the client is not to blame',
  },
  {
    area: 'protocol',
    subject: 'elements that a request names twice',
    apache:
      'are answered once in ListOffsets and DeleteRecords; Produce writes the last batch of a partition',
    weir: 'are answered each time, mostly with INVALID_REQUEST; Produce writes none of them',
    reason: 'every element of a request has its answer, and a batch is not dropped silently',
  },
  {
    area: 'protocol',
    subject: 'answers about topics of which no partition is named',
    apache: 'leave the topics out (OffsetCommit, TxnOffsetCommit, DeleteRecords, AddPartitionsToTxn)',
    weir: 'have them, without partitions',
    reason: 'every element of a request has its answer',
  },
  {
    area: 'produce',
    subject: 'bytes behind the batch of a partition',
    apache: 'ignores them if they are no whole header',
    weir: 'INVALID_RECORD',
    reason: 'a message that contradicts itself is not guessed at (ADR 0004)',
  },
  {
    area: 'produce',
    subject: 'the answer to a batch that was written before',
    apache: 'has the time of its last record as its append time',
    weir: 'has the append time only with `message.timestamp.type=LogAppendTime`',
    reason: 'clients would take it for the time of all records',
  },
  {
    area: 'administration',
    subject: 'DescribeProducers',
    apache: 'the time of the last record; coordinator epoch -1 until a transaction ends',
    weir: 'the time when the last batch was committed; coordinator epoch 0; a name that is none is UNKNOWN_TOPIC_OR_PARTITION',
    reason: 'the state of producers is part of the metadata, which has no times of records',
  },
  {
    area: 'groups',
    subject: 'epochs of consumer, share and streams groups',
    apache: 'begin at 1, so that the first member of a group has the epoch 2',
    weir: 'begin at 0 in consumer and share groups; they rise with other events where no assignment changes',
    reason: 'clients only compare them',
  },
  {
    area: 'groups',
    subject: 'what the first heartbeats of a group learn',
    apache: 'patterns, tasks and partitions of share groups follow a heartbeat later; `NotReady` until then',
    weir: 'the answer has the assignment; states are `Assigning` and later ones',
    reason: 'the coordinator has the names of all topics',
  },
  {
    area: 'groups',
    subject: 'records that ShareFetch acquires',
    apache: 'whole batches, also beyond `MaxRecords`',
    weir: 'no more than `MaxRecords`',
    reason: 'a member gets what it asked for',
  },
  {
    area: 'groups',
    subject: 'answers of ShareFetch and ShareAcknowledge: the leader, and the time of locks',
    apache: 'have leader 0 at epoch 0 where they name none; the time of locks also beside an error',
    weir: 'have leader -1 at epoch -1; no time of locks where nothing was acknowledged',
    reason: 'node 0 may be an agent, and clients go to a leader that is named',
  },
  {
    area: 'groups',
    subject: 'start offsets of share groups',
    apache:
      'DescribeShareGroupOffsets shows that of the last write, which an acknowledgement does not yet move',
    weir: 'shows the first record that is not finished',
    reason: 'both begin there after a failure',
  },
  {
    area: 'groups',
    subject: 'TxnOffsetCommit with several mistakes',
    apache: 'tells that of the transaction',
    weir: 'tells that of the group',
    reason: 'nothing is committed either way',
  },
  {
    area: 'administration',
    subject: 'DescribeTransactions of a transaction that ended',
    apache: 'has the time when it began',
    weir: 'has none',
    reason: 'there is no transaction',
  },
  {
    area: 'administration',
    subject: 'sizes of directories in DescribeLogDirs',
    apache: 'the total and the free bytes of the disk',
    weir: '-1',
    reason: 'a bucket has no end',
  },
  {
    area: 'administration',
    subject: 'sizes of partitions in DescribeLogDirs',
    apache:
      'count markers of transactions, and records that DeleteRecords removed until their segment is deleted',
    weir: 'count the batches that can be read',
    reason: 'there are no segments, and markers are part of the metadata',
  },
  {
    area: 'administration',
    subject: 'ElectLeaders of all partitions',
    apache: 'names every topic, without partitions where no election was needed',
    weir: 'names none',
    reason: 'no election is ever needed: any agent serves any partition',
  },
  {
    area: 'administration',
    subject: 'numbers of threads of brokers',
    apache: '`INVALID_REQUEST` for less than half and for more than twice as many as there are',
    weir: 'accepts them',
    reason: 'they have no effect',
  },
  {
    area: 'administration',
    subject: 'synonyms of configs',
    apache: 'some have none, and `log.retention.ms` has no value where `log.retention.hours` counts',
    weir: 'each ends with its default, under the name by which it is set for the cluster',
    reason: 'one catalogue describes them all (docs/reference/configs.md)',
  },
  {
    area: 'administration',
    subject: 'configs of brokers that can change while they run',
    apache: '`auto.create.topics.enable` and `num.partitions` cannot',
    weir: 'can, for the cluster',
    reason: 'the cluster has it, and no agent restarts for it',
  },
  {
    area: 'administration',
    subject: 'assignment intervals of `weir local`, `weir playground` and `weir demo`',
    apache: '1 s',
    weir: 'none',
    reason: 'tests start groups all the time',
  },
  {
    area: 'protocol',
    subject: 'features `kraft.version` and `eligible.leader.replicas.version`, and the epoch of features',
    apache: 'exist; the epoch is an offset of the metadata log',
    weir: 'do not exist; the epoch is that of the release',
    reason: 'there is no quorum, and there are no replicas that fall behind',
  },
  {
    area: 'security',
    subject: 'ACLs that match no client: a host that is no address, or a principal that is no user',
    apache: 'are stored',
    weir: '`INVALID_REQUEST`',
    reason: 'a rule without effect is a mistake',
  },
  {
    area: 'administration',
    subject: 'entities of quotas that name a type twice',
    apache: 'the last one counts',
    weir: '`INVALID_REQUEST`',
    reason: 'a message that contradicts itself is not guessed at (ADR 0004)',
  },
  {
    area: 'administration',
    subject: 'changes of voters (AddRaftVoter, RemoveRaftVoter)',
    apache: 'checks directory and listeners first',
    weir: '`UNSUPPORTED_VERSION`, as from a cluster with `kraft.version` 0',
    reason: 'there is no quorum whose voters could change',
  },
  {
    area: 'produce',
    subject: 'the start of the log beside an error',
    apache: 'is there, from v5 on',
    weir: 'is -1',
    reason: 'nothing was written',
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
] as const satisfies readonly Departure[];

/** Names a departure. */
export type Subject = (typeof departures)[number]['subject'];
