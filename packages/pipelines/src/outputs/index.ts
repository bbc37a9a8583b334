import type { ComponentSpec } from '../component/component-spec.ts';
import { broker } from './broker/broker.ts';
import { cache } from './cache.ts';
import { connectorOutputs } from './connectors.ts';
import { drop } from './drop.ts';
import { dropOn } from './drop-on.ts';
import { fallback } from './fallback.ts';
import { file } from './file.ts';
import { httpClient } from './http-client.ts';
import { inproc } from './inproc.ts';
import { kafka } from './kafka.ts';
import { kafkaFranz, kafkaFranzService } from './kafka-franz.ts';
import { reject, rejectErrored } from './reject.ts';
import { resource } from './resource.ts';
import { retry } from './retry.ts';
import { stdout } from './stdout.ts';
import { switchOutput } from './switch.ts';
import { syncResponse } from './sync-response.ts';

export const outputs: readonly ComponentSpec[] = [
  ...connectorOutputs,
  broker,
  cache,
  drop,
  dropOn,
  fallback,
  file,
  httpClient,
  inproc,
  kafka,
  kafkaFranz,
  kafkaFranzService,
  reject,
  rejectErrored,
  resource,
  retry,
  stdout,
  switchOutput,
  syncResponse,
];
