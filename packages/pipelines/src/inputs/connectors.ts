import type { ComponentSpec } from '../component/component-spec.ts';
import { awsS3Input } from './aws-s3.ts';
import { azureBlobStorageInput } from './azure-blob-storage.ts';
import { gcpCloudStorageInput } from './gcp-cloud-storage.ts';
import { redisInputs } from './redis.ts';
import { sqlRawInput, sqlSelectInput } from './sql.ts';

/** Inputs that read from systems of others. */
export const connectorInputs: readonly ComponentSpec[] = [
  awsS3Input,
  azureBlobStorageInput,
  gcpCloudStorageInput,
  ...redisInputs,
  sqlRawInput,
  sqlSelectInput,
];
