import type { ComponentSpec } from '../component/component-spec.ts';
import { batched } from './batched.ts';
import { broker } from './broker.ts';
import { connectorInputs } from './connectors.ts';
import { file } from './file.ts';
import { generate } from './generate.ts';
import { httpClient } from './http-client.ts';
import { httpServer } from './http-server.ts';
import { inproc } from './inproc.ts';
import { kafka } from './kafka.ts';
import { kafkaFranz, kafkaFranzService } from './kafka-franz.ts';
import { parquet } from './parquet.ts';
import { readUntil } from './read-until.ts';
import { resource } from './resource.ts';
import { sequence } from './sequence.ts';
import { stdin } from './stdin.ts';

export const inputs: readonly ComponentSpec[] = [
  ...connectorInputs,
  batched,
  broker,
  file,
  generate,
  httpClient,
  httpServer,
  inproc,
  kafka,
  kafkaFranz,
  kafkaFranzService,
  parquet,
  readUntil,
  resource,
  sequence,
  stdin,
];
