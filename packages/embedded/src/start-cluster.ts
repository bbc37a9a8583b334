import nodeModule from 'node:module';
import { join } from 'node:path';
import type { TestCluster, TestClusterOptions, TestSchema } from './cluster.ts';
import { runAsChild } from './run-as-child.ts';
import type { Addresses } from './running-cluster.ts';

/** Starts a cluster in memory on free ports, with topics and schemas. */
export async function startCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { topics = [], schemas = {} } = options;
  const wanted = Array.isArray(topics)
    ? topics.map((name: string) => [name, {}] as const)
    : Object.entries(topics);
  // Loaded while the cluster starts.
  const creating = wanted.length === 0 ? undefined : import('./create-topics.ts');
  const running = options.runs === 'here' ? await (await here()).runHere(options) : await runAsChild(options);
  try {
    await (await creating)?.createTopics(running.addresses.bootstrapServers, wanted);
    for (const [subject, schema] of Object.entries(schemas))
      await register(running.addresses, subject, schema);
  } catch (error) {
    await running.stop();
    throw error;
  }
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= running.stop();
    return stopped;
  };
  return {
    ...running.addresses,
    environment: environmentOf(running.addresses),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The whole program, which a test that runs the cluster as a child never loads. */
function here(): Promise<typeof import('./run-here.ts')> {
  const [major] = process.versions.node.split('.');
  if (Number(major) < 24)
    throw new Error(
      `weir: runs: 'here' needs Node 24 or newer, and this is ${process.version}; leave it out`,
    );
  // As the command does, or every process of tests would compile the whole program. What the tests load later is kept
  // there too. A process that has such a folder already keeps its own.
  nodeModule.enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/weir'));
  return import(import.meta.resolve('./run-here.ts'));
}

/** The variables that `weir local -- COMMAND` gives to a command. */
function environmentOf(addresses: Addresses): Readonly<Record<string, string>> {
  return {
    KAFKA_BOOTSTRAP_SERVERS: addresses.bootstrapServers,
    SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
    SERVICE_API_KEY: addresses.apiKey,
    SERVICE_API_URL: addresses.apiUrl,
    SERVICE_BOOTSTRAP_HOST: addresses.bootstrapServers,
    SERVICE_SCHEMA_REGISTRY_URL: addresses.schemaRegistryUrl,
  };
}

async function register(
  { schemaRegistryUrl }: Addresses,
  subject: string,
  { schema, type = 'AVRO' }: TestSchema,
): Promise<void> {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  const answer = await fetch(`${schemaRegistryUrl}/subjects/${encodeURIComponent(subject)}/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schema: text, schemaType: type }),
  });
  if (!answer.ok) throw new Error(`weir: schema of subject ${subject}: ${await answer.text()}`);
}
