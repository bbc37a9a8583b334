import { missingTool } from '../apache/tools.ts';
import { openJavaClient } from '../brokers/java-client.ts';
import { missingKcat } from '../brokers/kcat.ts';
import type { Lifetime } from '../brokers/weir-process.ts';
import { pythonWith } from '../python/venv.ts';
import { javaClient, kafkajsClient, kcatClient, platformaticClient } from './foreign-clients.ts';
import { librdkafkaClient } from './librdkafka/client.ts';
import type { SecretFiles } from './secured.ts';

/** Third-party clients of all kinds; each says why it cannot run here. */
export function allClients(
  lifetime: Lifetime,
  files: SecretFiles,
  javaProperties: Readonly<Record<string, string>> = {},
) {
  const noJava = missingTool();
  const java = noJava ? undefined! : openJavaClient(lifetime, javaProperties);
  const clients = [
    javaClient(java, files, noJava),
    kcatClient(missingKcat()),
    librdkafkaClient(pythonWith('confluent-kafka')),
    kafkajsClient,
    platformaticClient,
  ];
  return { java, noJava, clients };
}

export const bounded = { timeout: 120_000 };

/** Clients mostly wait: for process starts, and for their own timeouts when login fails. */
export const atOnce = { concurrency: 4 };
