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
    help: 'The bucket that holds the data of the cluster.',
    rule: 'The query parameter prefix names a folder inside the bucket. A control plane keeps only its metadata backup there.',
  }),
  available({
    name: 'allowedBucketURLs',
    type: list(bucketUrl()),
    default: [],
    commands: ['agent', 'playground', 'demo'],
    help: 'Buckets on other servers than that of -bucketURL that the cluster may name.',
    rule: 'It names one by `service.bucket.url`, and its files may lie in others that it named before. An entry allows the bucket, or the folder of its prefix, and all that lies below. Any other bucket is refused: the agent logs it, goes on writing to the bucket before, and cannot read what lies in the other.',
  }),
  available({
    name: 'ingestionBucketURL',
    type: bucketUrl(),
    commands: ['agent'],
    help: 'The bucket for newly written files, when compacted files go to another one.',
    rule: 'All agents of a cluster have the same pair. A cluster that has one bucket goes over to a pair that contains it.',
  }),
  available({
    name: 'compactionBucketURL',
    type: bucketUrl(),
    commands: ['agent'],
    help: 'The bucket for compacted files, when newly written files go to another one.',
  }),
  available({
    name: 'additionalBackgroundTasksBucketURLs',
    type: list(bucketUrl()),
    default: [],
    commands: ['agent'],
    deprecatedNames: ['-additionalDeadscannerBucketURLs', 'SERVICE_ADDITIONAL_DEADSCANNER_BUCKET_URLS'],
    help: 'Further buckets in which dead files are looked for and deleted.',
    rule: 'Below the same prefix as in the bucket of the cluster. List them on all agents with the role jobs. A bucket that was taken out of service_stripe:// must be listed here on all agents, which read the files that are still there.',
  }),
  available({
    name: 'bucketAssumeRoleARNDefault',
    type: roleArn(),
    commands: bucketUsers,
    help: 'The role that is assumed for access to s3:// buckets whose URL has no assumeRoleARN.',
    rule: 'A URL with an empty assumeRoleARN assumes none.',
  }),
  available({
    name: 'skipBucketsPermissionCheck',
    type: bool(),
    default: false,
    commands: bucketCheckers,
    help: 'Start without checking that the buckets can be listed, written, read and deleted from.',
  }),
  available({
    name: 'checkBucketAccessRetryCount',
    type: int({ min: 0, max: 1_000 }),
    default: 3,
    commands: bucketCheckers,
    help: 'How often the check of the buckets at the start is repeated before the start fails.',
    rule: 'After 1 s, 2 s, 4 s, and then every 8 s. Each check tries requests that fail for a while, too.',
  }),
  available({
    name: 'gcsDirectConnectivityRequired',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Fail at the start when a gs:// bucket cannot be reached over its direct path.',
    rule: 'It never can in this release, whose requests go over HTTPS. A gs:// bucket that the cluster names later is refused too.',
  }),
  available({
    name: 'disableS3Checksums',
    type: bool(),
    default: false,
    commands: bucketUsers,
    help: 'Send no checksums to s3:// buckets, neither for single nor for multipart uploads.',
    rule: 'For servers that reject them. A request that deletes many objects has a digest all the same, because S3 requires it.',
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
    help: 'Print the records of the file too, not only what it contains of which partition.',
  }),
  available({
    name: 'concurrency',
    type: int({ min: 1, max: 64 }),
    default: 4,
    commands: ['cli file-scrubber'],
    help: 'How many files are verified at a time.',
  }),
  available({
    name: 'progress-file',
    type: path(),
    commands: ['cli file-scrubber'],
    help: 'A file in which the scrubber notes how far it is.',
    rule: 'If the file exists, the scrubber continues from there, and it is removed at the end.',
  }),
  available({
    name: 'checksums',
    type: bool(),
    default: true,
    commands: ['cli file-scrubber'],
    help: 'Read all files in full and verify the checksums of their batches.',
    rule: 'Without it, the scrubber reads the index of every file and compares it with the metadata.',
  }),
  available({
    name: 'metadata',
    type: bool(),
    default: true,
    commands: ['cli file-scrubber'],
    help: 'Compare the files with the metadata backup in the bucket, if there is one.',
    rule: 'It takes the memory of a control plane of the cluster.',
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
    help: 'How often new metadata is copied: what a restore may lose at most, and how often a request is paid for.',
    rule: 'A restore waits for four intervals, so that a control plane that still serves the cluster stops first.',
  }),
  available({
    name: 'dataDir',
    type: path(),
    commands: ['control-plane', 'control-plane restore', 'playground', 'demo'],
    help: 'The directory for the database and the bucket of a process that keeps its own.',
  }),
  available({
    name: 'databaseURL',
    type: databaseUrl(),
    commands: ['control-plane', 'control-plane restore', 'playground', 'demo'],
    help: 'The database of the control plane.',
    rule: 'Without it a SQLite file below -dataDir is used.',
  }),
  foreignVariable({
    name: 'GOOGLE_APPLICATION_CREDENTIALS',
    type: path(),
    commands: bucketUsers,
    help: 'The file with the credentials for gs:// buckets.',
    rule: 'Without it, the file of gcloud is used, and then the metadata service of the machine.',
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
    help: 'The storage account of azblob:// buckets whose URL names none.',
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
