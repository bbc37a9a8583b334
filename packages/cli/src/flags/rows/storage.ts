import { bool } from '../../values/bool.ts';
import { bucketUrl } from '../../values/bucket-url.ts';
import { list } from '../../values/list.ts';
import { durationMs, int } from '../../values/numbers.ts';
import { path, roleArn, text } from '../../values/text.ts';
import { databaseUrl } from '../../values/url.ts';
import { available, foreignVariable } from '../row.ts';
import { bucketTools, recordTools } from './takers.ts';

/** The commands that open the bucket of a cluster. */
const bucketUsers = [
  'agent',
  'control-plane',
  'control-plane restore',
  'playground',
  'demo',
  ...bucketTools,
  ...recordTools,
] as const;

/** The commands that check their buckets when they start. */
const bucketCheckers = ['agent', 'control-plane', 'playground', 'demo'] as const;

export const storageFlags = [
  available({
    name: 'bucketURL',
    type: bucketUrl(),
    commands: bucketUsers,
    help: 'The bucket for the data of the cluster.',
    rule: 'The query parameter prefix selects a folder in the bucket. A control plane stores only its metadata backup there.',
  }),
  available({
    name: 'allowedBucketURLs',
    type: list(bucketUrl()),
    default: [],
    commands: ['agent', 'playground', 'demo'],
    help: 'Buckets on other servers than that of -bucketURL that the cluster may use.',
    rule: 'The cluster chooses one with `service.bucket.url`; older files can be in buckets it used before. An entry allows the bucket, or the folder of its prefix. Other buckets are refused: the agent logs an error, keeps writing to the old bucket, and cannot read files in the refused one.',
  }),
  available({
    name: 'ingestionBucketURL',
    type: bucketUrl(),
    commands: ['agent'],
    help: 'The bucket for new files, if compacted files go to another bucket.',
    rule: 'Set the same pair on all agents. A cluster with one bucket can change to a pair that contains it.',
  }),
  available({
    name: 'compactionBucketURL',
    type: bucketUrl(),
    commands: ['agent'],
    help: 'The bucket for compacted files, if new files go to another bucket.',
  }),
  available({
    name: 'additionalBackgroundTasksBucketURLs',
    type: list(bucketUrl()),
    default: [],
    commands: ['agent'],
    deprecatedNames: ['-additionalDeadscannerBucketURLs', 'SERVICE_ADDITIONAL_DEADSCANNER_BUCKET_URLS'],
    help: 'More buckets to scan for dead files, which are deleted, and for acknowledged files, which are committed.',
    rule: 'Below the same prefix as in the bucket of the cluster. List them on all agents with the role jobs. A bucket that was taken out of service_stripe:// must be listed here on all agents, which read the files that are still there. Agents of a data lake write and maintain tables in these buckets, if a configuration names them as destination_bucket_url.',
  }),
  available({
    name: 'bucketAssumeRoleARNDefault',
    type: roleArn(),
    commands: bucketUsers,
    help: 'The role to assume for s3:// buckets whose URL has no assumeRoleARN.',
    rule: 'A URL with an empty assumeRoleARN assumes none.',
  }),
  available({
    name: 'skipBucketsPermissionCheck',
    type: bool(),
    default: false,
    commands: bucketCheckers,
    help: 'Start without checking list, write, read and delete access to the buckets.',
  }),
  available({
    name: 'checkBucketAccessRetryCount',
    type: int({ min: 0, max: 1_000 }),
    default: 3,
    commands: bucketCheckers,
    help: 'How often to retry the bucket check before the start fails.',
    rule: 'After 1 s, 2 s, 4 s, then every 8 s. Each check also retries failed requests.',
  }),
  available({
    name: 'gcsDirectConnectivityRequired',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Fail at startup if a gs:// bucket is not reachable over DirectPath.',
    rule: 'Always fails in this release, which uses HTTPS. gs:// buckets that the cluster chooses later are refused too.',
  }),
  available({
    name: 'disableS3Checksums',
    type: bool(),
    default: false,
    commands: bucketUsers,
    help: 'Send no checksums to s3:// buckets, neither for single nor for multipart uploads.',
    rule: 'For servers that reject them. DeleteObjects requests still have a digest, as S3 requires.',
  }),
  available({
    name: 'log-file',
    type: text('file'),
    commands: ['cli file-reader'],
    help: 'The file to read: its id, or its key in the bucket.',
  }),
  available({
    name: 'show-records',
    type: bool(),
    default: false,
    commands: ['cli file-reader'],
    help: 'Also print the records of the file.',
  }),
  available({
    name: 'concurrency',
    type: int({ min: 1, max: 64 }),
    default: 4,
    commands: ['cli file-scrubber'],
    help: 'The number of files to verify concurrently.',
  }),
  available({
    name: 'progress-file',
    type: path(),
    commands: ['cli file-scrubber'],
    help: 'A file that stores the progress of the scrubber.',
    rule: 'If it exists, the scrubber continues from there; it is removed at the end.',
  }),
  available({
    name: 'checksums',
    type: bool(),
    default: true,
    commands: ['cli file-scrubber'],
    help: 'Read all files in full and verify the checksums of their batches.',
    rule: 'Otherwise the scrubber compares the index of each file with the metadata.',
  }),
  available({
    name: 'metadata',
    type: bool(),
    default: true,
    commands: ['cli file-scrubber'],
    help: 'Compare the files with the metadata backup in the bucket, if there is one.',
    rule: 'Needs as much memory as a control plane of the cluster.',
  }),
  available({
    name: 'metadataBackup',
    type: bool(),
    default: true,
    commands: ['control-plane', 'playground', 'demo'],
    help: 'Copy the metadata of clusters into their bucket, from which weir control-plane restore rebuilds it.',
    rule: 'A control plane does it when -bucketURL names the bucket.',
  }),
  available({
    name: 'metadataBackupInterval',
    type: durationMs({ min: 1_000, max: 600_000 }),
    default: 5_000,
    commands: ['control-plane', 'control-plane restore', 'playground', 'demo'],
    help: 'How often to back up new metadata: the maximum data loss of a restore, and the rate of billed requests.',
    rule: 'A restore waits for four intervals, so that a control plane that still serves the cluster stops first.',
  }),
  available({
    name: 'dataDir',
    type: path(),
    commands: ['control-plane', 'control-plane restore', 'playground', 'demo'],
    help: 'The directory for the database and the local bucket.',
  }),
  available({
    name: 'databaseURL',
    type: databaseUrl(),
    commands: ['control-plane', 'control-plane restore', 'playground', 'demo'],
    help: 'The database of the control plane.',
    rule: 'Default: a SQLite file in -dataDir.',
  }),
  foreignVariable({
    name: 'GOOGLE_APPLICATION_CREDENTIALS',
    type: path(),
    commands: bucketUsers,
    help: 'The file with the credentials for gs:// buckets.',
    rule: 'Default: the gcloud file, then the metadata service of the machine.',
  }),
  foreignVariable({
    name: 'STORAGE_EMULATOR_HOST',
    type: text('host'),
    commands: bucketUsers,
    help: 'An emulator that serves gs:// buckets, without credentials.',
  }),
  foreignVariable({
    name: 'AZURE_STORAGE_ACCOUNT',
    type: text('name'),
    commands: bucketUsers,
    help: 'The storage account of azblob:// buckets whose URL has none.',
  }),
  foreignVariable({
    name: 'AZURE_STORAGE_KEY',
    type: text('key'),
    secret: true,
    commands: bucketUsers,
    help: 'The key of the storage account of azblob:// buckets.',
  }),
  foreignVariable({
    name: 'AZURE_STORAGE_SAS_TOKEN',
    type: text('token'),
    secret: true,
    commands: bucketUsers,
    help: 'A signed token for azblob:// buckets, instead of the key.',
  }),
  foreignVariable({
    name: 'AZURE_STORAGE_CONNECTION_STRING',
    type: text('fields'),
    secret: true,
    commands: bucketUsers,
    help: 'Account, server and key or token of azblob:// buckets in one, where neither is set alone.',
  }),
];
