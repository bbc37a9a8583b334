import { amqpOutput } from '../amqp/amqp-components.ts';
import { awsSqsOutput } from '../aws/sqs-components.ts';
import type { ComponentSpec } from '../component/component-spec.ts';
import { mqttOutput } from '../mqtt/mqtt-components.ts';
import { natsJetStreamOutput, natsOutput } from '../nats/nats-components.ts';
import { awsS3Output } from './aws-s3.ts';
import { azureBlobStorageOutput } from './azure-blob-storage.ts';
import { gcpCloudStorageOutput } from './gcp-cloud-storage.ts';
import { redisOutputs } from './redis.ts';
import { searchOutputs } from './search.ts';
import { sqlInsertOutput, sqlRawOutput } from './sql.ts';

/** Outputs that write to systems of others. */
export const connectorOutputs: readonly ComponentSpec[] = [
  amqpOutput,
  awsS3Output,
  awsSqsOutput,
  azureBlobStorageOutput,
  gcpCloudStorageOutput,
  mqttOutput,
  natsOutput,
  natsJetStreamOutput,
  ...redisOutputs,
  ...searchOutputs,
  sqlInsertOutput,
  sqlRawOutput,
];
