import { amqpInput } from '../amqp/amqp-components.ts';
import { awsSqsInput } from '../aws/sqs-components.ts';
import type { ComponentSpec } from '../component/component-spec.ts';
import { mqttInput } from '../mqtt/mqtt-components.ts';
import { natsInput, natsJetStreamInput } from '../nats/nats-components.ts';
import { awsS3Input } from './aws-s3.ts';
import { azureBlobStorageInput } from './azure-blob-storage.ts';
import { gcpCloudStorageInput } from './gcp-cloud-storage.ts';
import { redisInputs } from './redis.ts';
import { sqlRawInput, sqlSelectInput } from './sql.ts';

/** Inputs that read from systems of others. */
export const connectorInputs: readonly ComponentSpec[] = [
  amqpInput,
  awsS3Input,
  awsSqsInput,
  azureBlobStorageInput,
  gcpCloudStorageInput,
  mqttInput,
  natsInput,
  natsJetStreamInput,
  ...redisInputs,
  sqlRawInput,
  sqlSelectInput,
];
