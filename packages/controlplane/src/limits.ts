import { KiB, MiB } from '@weir/core';

/** Limits of one control-plane process: connections, accounts, sign-in, diagnostics, and metrics of its clusters. */
export const controlPlaneLimits = {
  /**
   * Connections to a control-plane process, agents and probes together. With so many, a new one takes the place of one
   * that is half-sent or idle, of the address with the most; a few more are for addresses that have hardly any.
   */
  controlPlaneConnectionsMax: 16_384,
  controlPlaneReservedConnectionsMax: 64,

  /** All headers of one request to the control plane. */
  controlPlaneHeaderBytesMax: 16 * KiB,

  /** Requests that a connection may send before it has read the answer to the first. They wait their turn. */
  controlPlaneRequestsWaitingMax: 16,

  /**
   * How long a peer may leave a part of an answer unread, and what all of them may leave, about. The largest answer,
   * eight megabytes of events, gets there within this over a line of a megabit and a half.
   */
  controlPlaneUnreadMsMax: 60_000,
  controlPlaneUnreadBytesMax: 256 * MiB,

  /** Pages of the documentation site that a process keeps in memory, after a reader asked for them. */
  docsKeptBytesMax: 4 * MiB,

  /** A file that an operator writes for the control plane: credentials, bindings of workload identities. */
  settingsFileBytesMax: 8 * MiB,

  /** A request for an agent token, whose largest part is the token of a platform. */
  tokenRequestBytesMax: 64 * KiB,

  /** The regions for which an agent gets tokens in one answer, each of at most 1.1 KB. */
  tokenRegionsMax: 32,

  /** Requests for agent tokens that are worked on at a time: the caller is not authenticated yet. */
  tokenRequestsMax: 64,

  /** Sign-ins with an identity provider that are worked on at a time: the caller is not authenticated yet. */
  ssoSignInsRunningMax: 256,

  /** Values of the claim that names roles. An account has no more roles than that. */
  ssoRoleValuesMax: 1000,

  /**
   * Schema registries of clusters that a process has in memory for its API at a time. Each is a replica of all its
   * entries: about 300 MiB for 100,000 schemas.
   */
  loadedRegistriesMax: 8,

  /** Keys in a file of secret keys: the one in use and its predecessors. */
  secretKeysMax: 16,

  /** Clusters whose federations a process remembers for a moment. */
  federatedClustersMax: 10_000,

  /**
   * Series of a cluster in one scrape of the control plane; a line is about 150 bytes. The last ones are left out.
   */
  hostedSeriesMax: 30_000,

  /** Clusters that the control plane measures at a time for scrapes, and scrapes that wait for their turn. */
  hostedLooksRunningMax: 8,
  hostedLooksWaitingMax: 256,

  /** Scraped text that is cached for some seconds, so that a second scrape measures nothing. */
  hostedTextsBytesMax: 64 * MiB,

  /**
   * The body of a call by an unknown caller: an address, a name, a password, a token. It is counted before it is
   * parsed.
   */
  apiPublicRequestBytesMax: 16 * KiB,
  apiPublicRequestDepthMax: 4,
  apiPublicRequestValuesMax: 32,

  /**
   * All bodies of the API that are being read, and calls that are being answered. Further ones are answered with a
   * retriable error.
   */
  apiBodiesBytesMax: 128 * MiB,
  apiCallsRunningMax: 1024,

  /**
   * Addresses, names and keys whose calls the API counts, about a hundred bytes each. The longest silent is
   * forgotten first.
   */
  apiCountedCallersMax: 50_000,

  /** Keys that one application key has made: a configuration for an assistant makes one, or one per workspace. */
  keysPerKeyMax: 100,

  /** Virtual clusters that one control-plane process serves. */
  hostedClustersMax: 10_000,

  /** Clusters led by other processes to which one control-plane process is connected, to answer calls about them. */
  remoteLeadersMax: 256,

  /** Roles of one user. */
  rolesPerUserMax: 100,

  /** The name of a user, and the issuer or subject that names the user at an identity provider. */
  userNameCharsMax: 128,
  identityCharsMax: 1024,

  /** What is stored of the address and the user agent of a caller. */
  remoteAddressCharsMax: 64,
  userAgentCharsMax: 256,

  /** What is stored of one call in the audit log: ids and names, the error message, and the number of targets. */
  auditTextCharsMax: 256,
  auditMessageCharsMax: 4096,
  auditTargetsMax: 16,
  /** Values that one entry of the audit log shows as changed. */
  auditChangesMax: 50,
  /** Partitions whose offsets an entry about read records has. */
  auditReadPartitionsMax: 50,

  /**
   * Kinds of refused calls and of repeated reads that are counted into one entry of the audit log each, under a
   * kilobyte apiece; as many again for refused callers together.
   */
  auditOpenRefusalsMax: 1_000,

  /**
   * The part of a journal in one object of a metadata backup, about. Until it is full, the newest object is replaced
   * by a longer one at every interval.
   */
  backupSegmentBytesMax: 1 * MiB,

  /**
   * The size of the newest metadata snapshot of a cluster that can be cloned. Its state is built in one step, about a
   * second for 64 MiB, in which the process answers nothing.
   */
  cloneSnapshotBytesMax: 128 * MiB,

  /**
   * Calls to the leader that count what a change of configs deletes, some milliseconds each, once with the configs of
   * now and once with the new ones. What is left uncounted then is said to be more.
   */
  deletionEstimateCallsMax: 200,

  /** Diagnostics that one message of an alert names, the worst first. */
  alertFindingsMax: 20,

  /** What changes within this time after a message of an alert is sent in one. */
  alertGatherMs: 300_000,

  /** Clusters whose alerts are evaluated at a time, and alerts of one cluster whose messages are sent at a time. */
  alertClustersRunningMax: 4,
  alertDeliveriesRunningMax: 4,

  /** The time for the alerts of one cluster in one round; the others have their turn first in the next round. */
  alertRoundMsMax: 60_000,

  /** How long the destination of an alert may take, and test messages that are sent at a time. */
  alertDeliveryMsMax: 10_000,
  alertTestsRunningMax: 8,

  /** Replies of a mail server that were not read yet, one line of a reply, and its lines. */
  smtpPendingCharsMax: 65_536,
  smtpLineCharsMax: 2_048,
  smtpReplyLinesMax: 128,

  /** Keys that a control plane remembers between calls, about a kilobyte each. */
  verifiedKeysMax: 20_000,

  /**
   * Passwords that are hashed at a time, 19 MiB and a thread of four each, and those that wait. Further ones are
   * refused.
   */
  passwordHashesRunningMax: 2,
  passwordHashesWaitingMax: 64,

  /** Characters of metadata of tables that catalogs keep. */
  catalogMetadataCharsMax: 64 * MiB,
} as const;
