import { KiB, MiB } from '@weir/core';

/** Limits of the operations that the control plane serves. */
export const apiLimits = {
  /** Principals that are listed when a caller asks which may do something; those that may come first. */
  explainedPrincipalsMax: 200,

  /** A password of a user. A client may send as many characters in PLAIN. */
  passwordCharsMax: 1024,

  /** How long the old password of a credential is accepted after a rotation, unless the caller says: a day. */
  passwordOverlapSeconds: 86_400,

  /**
   * Bindings of workload identities in a settings file, and claim rules of one of them. Every token is compared with
   * all bindings of its issuer.
   */
  workloadBindingsMax: 1000,
  workloadClaimRulesMax: 32,

  /** Metrics in one query of series, series of each, and values of one series: a day in steps of two minutes. */
  queriedMetricsMax: 8,
  queriedSeriesMax: 20,
  queriedStepsMax: 720,

  /** Groups with the largest lag in the overview of a cluster. */
  overviewGroupsMax: 10,

  /** Topics and partitions of one reset of the offsets of a group. */
  resetTopicsMax: 1_000,
  resetPartitionsMax: 10_000,

  /** Kinds of client software of one cluster that are listed, and the principals, client ids and agents of each. */
  listedSoftwareMax: 500,
  listedSoftwareNamesMax: 20,

  /** The body of one call of the API. The largest is a list of ACLs to delete. */
  apiRequestBytesMax: 2 * MiB,
  apiRequestDepthMax: 32,
  apiRequestValuesMax: 200_000,
  /** Names of one object in it. No field takes as many, and each is validated before they are counted. */
  apiObjectNamesMax: 10_000,

  /** Keys in one call, each for a workspace. */
  apiKeysPerCallMax: 64,

  /** Rows of one page of an answer that comes in pages, and the cursor of the next one. */
  apiPageRowsMax: 1000,
  apiCursorCharsMax: 4096,

  /**
   * A text of the API that people write or read and that has no narrower limit: a reason, an explanation, a message.
   */
  apiTextCharsMax: 4096,

  /** An address that a user gives to the control plane, or is given by it. */
  apiUrlCharsMax: 2048,

  /** An e-mail address, by its standard. */
  emailCharsMax: 254,

  /**
   * Records of one read of a topic, what it may look at for them, how long, and the text that records have to contain.
   */
  readRecordsMax: 500,
  scannedRecordsMax: 1_000_000,
  scannedBytesMax: 512 * MiB,
  scanMsMax: 20_000,
  containedCharsMax: 256,

  /** The position of a read of a topic: an offset of every partition. */
  recordCursorCharsMax: 16 * KiB,

  /** A key, value or header of a record that is written with one call, and its headers. */
  recordTextCharsMax: 128 * KiB,
  recordHeadersMax: 100,

  /** Tags of a virtual cluster, and one name or value of them. */
  clusterTagsMax: 50,
  clusterTagCharsMax: 256,

  /** Configs in one call of the API. There are fewer that have a meaning. */
  configsPerRequestMax: 256,

  /**
   * Users, roles, workspaces, keys, invitations and sessions of one account; a console shows them as one list each.
   */
  usersMax: 10_000,
  userRolesMax: 1000,
  workspacesMax: 1000,
  apiKeysMax: 20_000,
  invitationsMax: 1000,
  invitationsPerRequestMax: 100,
  sessionsPerUserMax: 100,

  /** Grants of one key or role: one per workspace. Every call with the key reads all of them. */
  accessGrantsMax: 1000,

  /** Virtual clusters of one account, deleted ones that can be restored included. */
  virtualClustersMax: 10_000,

  /** How long a deleted cluster and its data can be restored. */
  clusterRestorableDays: 30,

  /** Diagnostics of one cluster, and the groups of one type of them that are listed. */
  diagnosticsMax: 1000,
  diagnosticGroupsMax: 5,

  /**
   * Pipelines of a cluster, undeployed configurations of each, and the size of one configuration: bytes, parts,
   * tokens, depth, aliases, and values with every alias expanded. Parsing takes time of a process that leads clusters.
   */
  pipelinesPerClusterMax: 500,
  pipelineConfigurationsMax: 50,
  pipelineConfigurationBytesMax: 128 * KiB,
  pipelinePartsMax: 100,
  pipelineYamlTokensMax: 20_000,
  pipelineYamlDepthMax: 64,
  pipelineYamlAliasesMax: 100,
  pipelineYamlValuesMax: 50_000,

  /** Problems that one check of a pipeline configuration lists, and the length of one of them. */
  pipelineProblemsMax: 100,
  /** Instances of a pipeline. */
  pipelineInstancesMax: 32,
  /** Agents that do not use the bucket of their cluster, in one answer. */
  bucketStatusAgentsMax: 100,
  /** Topics that a dry run names among those that lose records. */
  deletionEstimateTopicsMax: 10,
  pipelineProblemCharsMax: 1000,
  /** A preview of a pipeline: messages, the length of one, entries of metadata, steps and batches of the answer. */
  triedMessagesMax: 20,
  triedMessageCharsMax: 64 * 1024,
  triedMetadataMax: 100,
  triedStepsMax: 200,
  triedBatchesMax: 100,

  /** The name of a table, which is that of a source cluster and of a topic, and one line about its state. */
  tableNameCharsMax: 512,
  tableMessageCharsMax: 1000,
  /** Partitions of its topic that the description of a table lists. */
  tableTopicPartitionsShownMax: 100,

  /** Topics of a migration, those that one call names, partitions of one of them, one line, and errors of the whole. */
  describedMigrationTopicsMax: 50_000,
  migrationTopicsPerCallMax: 10_000,
  describedMigrationPartitionsMax: 200_000,
  migrationMessageCharsMax: 1000,
  migrationErrorsMax: 100,
  /** Findings, topics, ACLs and groups of a preflight, of each, and configs of one topic. */
  preflightRowsMax: 5_000,
  preflightConfigsMax: 500,

  /** Named secrets of a cluster. One call lists all of them. */
  secretsPerClusterMax: 200,

  /** Rows of the summary of a pipeline configuration, and the length of one row. */
  pipelineSummaryRowsMax: 200,
  pipelineSummaryCharsMax: 256,

  /**
   * Saved searches for events: those that users of a workspace share, those of one user in a workspace, the name of
   * one, and its search as JSON. One call lists all of them.
   */
  eventViewsSharedMax: 200,
  eventViewsOwnMax: 100,
  eventViewNameCharsMax: 100,
  eventViewBytesMax: 16 * KiB,

  /**
   * Alerts and channels of a cluster, the channels of one alert, the recipients of one e-mail, and names. One call
   * lists all of them, and the leader evaluates each once a minute.
   */
  alertsPerClusterMax: 50,
  alertChannelsPerClusterMax: 20,
  alertChannelsPerAlertMax: 10,
  alertRecipientsMax: 20,
  alertNameCharsMax: 100,

  /** What is kept of the past of one alert: the last times at which it fired or was resolved. */
  alertHistoryMax: 100,

  /** The time over which an alert counts events: as long as a search may be. */
  alertWindowMinutesMax: 1440,

  /** How often an alert that still fires notifies again, at least and at most. */
  alertRepeatMinutesMin: 5,
  alertRepeatMinutesMax: 10_080,

  /**
   * A schema of a registry in one call: its text, its references, the name of a subject, and one message about it. A
   * registry has limits of its own.
   */
  schemaTextCharsMax: MiB,
  schemaReferencesMax: 1000,
  schemaSubjectCharsMax: 1024,
  schemaMessageCharsMax: 16 * KiB,

  /** Violations, lines of a diff and subjects that are listed of one schema; its size in characters. */
  schemaViolationsMax: 200,
  schemaDiffLinesMax: 2000,
  schemaDiffCharsMax: 256 * KiB,
  schemaUsersMax: 1000,

  /** Properties, tags and sensitive names in the metadata of a schema, and the length of one of their texts. */
  schemaMetadataEntriesMax: 1000,
  schemaMetadataCharsMax: 4 * KiB,

  /** Changes of a registry in one check, and the characters of all diffs and messages about them. */
  checkedRegistryChangesMax: 500,
  checkedRegistryTextCharsMax: 4 * MiB,

  /** What other programs wrote into a table: one text, columns of a schema, properties. */
  describedTableTextCharsMax: MiB,
  describedTableColumnsMax: 10_000,
  describedTablePropertiesMax: 10_000,

  /** A value of a result of SQL; a result is not larger. */
  tableCellCharsMax: 10 * MiB,
} as const;
