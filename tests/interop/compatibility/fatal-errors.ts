/**
 * Errors after which a repetition of the request can succeed, and that older clients take as fatal in calls about
 * groups and transactions, by the sources of these versions. The page docs/reference/compatibility.md is rendered from
 * this table (`npm run docs`).
 */
interface FatalError {
  readonly client: string;
  readonly call: string;
  readonly error: string;
  readonly effect: string;
  /** What agents do or answer instead. */
  readonly weir: string;
}

const onlyWithoutControlPlane =
  '`COORDINATOR_LOAD_IN_PROGRESS` only while the control plane cannot be reached or fails';

export const fatalErrors: readonly FatalError[] = [
  {
    client: 'kafkajs 2.2.4',
    call: 'EndTxn, AddOffsetsToTxn',
    error: 'all, `CONCURRENT_TRANSACTIONS` included',
    effect: '`commit`, `abort` and `sendOffsets` fail without a retry',
    weir: `an EndTxn that may be late is held and repeated by the agent (ADR 0076), and refused only if the client went on elsewhere meanwhile; AddOffsetsToTxn never gets \`CONCURRENT_TRANSACTIONS\`; ${onlyWithoutControlPlane}`,
  },
  {
    client: 'kafkajs 2.2.4',
    call: 'TxnOffsetCommit',
    error: '`COORDINATOR_LOAD_IN_PROGRESS`, `COORDINATOR_NOT_AVAILABLE`, `NOT_COORDINATOR`',
    effect: '`sendOffsets` fails: its list of errors to retry has other names than its table of codes',
    weir: `a commit on another connection is held, and refused only if the client went on elsewhere meanwhile (ADR 0076); otherwise ${onlyWithoutControlPlane}`,
  },
  {
    client: 'sarama 1.38.1',
    call: 'InitProducerId',
    error: '`COORDINATOR_LOAD_IN_PROGRESS`, `CONCURRENT_TRANSACTIONS`',
    effect: 'the producer ends in a fatal state',
    weir: `an open transaction is aborted within the call, so that \`CONCURRENT_TRANSACTIONS\` never comes; ${onlyWithoutControlPlane}`,
  },
  {
    client: 'sarama 1.38.1',
    call: 'Heartbeat',
    error: '`COORDINATOR_LOAD_IN_PROGRESS`, `COORDINATOR_NOT_AVAILABLE`, `NOT_COORDINATOR`',
    effect: 'the session ends, and `Consume` has to be called again',
    weir: `never the last two; ${onlyWithoutControlPlane}`,
  },
  {
    client: 'sarama 1.38.1',
    call: 'JoinGroup, SyncGroup, OffsetFetch',
    error: '`COORDINATOR_NOT_AVAILABLE`',
    effect: 'the error is returned to the application',
    weir: '`COORDINATOR_LOAD_IN_PROGRESS`, which it retries',
  },
  {
    client: 'Java 2.8.2',
    call: 'SyncGroup',
    error: '`COORDINATOR_LOAD_IN_PROGRESS`',
    effect: '`poll` throws a KafkaException; the next `poll` joins again',
    weir: `${onlyWithoutControlPlane}, which is part of the contract of the service; Apache Kafka sends \`REBALANCE_IN_PROGRESS\` here`,
  },
  {
    client: 'Java 2.8.2',
    call: 'OffsetFetch',
    error: '`COORDINATOR_NOT_AVAILABLE`',
    effect: '`poll` throws a KafkaException',
    weir: '`COORDINATOR_LOAD_IN_PROGRESS`, which it retries',
  },
];
