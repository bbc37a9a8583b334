import { randomBytes } from 'node:crypto';
import { ApiError, type Client } from '@weir/api';
import type { Acl } from '@weir/core';
import { orFailure } from '../api-client.ts';
import { adminName, demoAcls, demoClientNames } from './cast.ts';
import { demoSubjects, type SchemaTopic, schemaTopics, subjectOf } from './schemas.ts';
import { demoTopicNames, demoTopics } from './topics.ts';

/** The password of a credential, with the username that the control plane made up. */
export interface DemoLogin {
  readonly username: string;
  readonly password: string;
}

/** What the clients of the demo need to know. */
export interface DemoState {
  /** By the name of the credential. */
  readonly logins: ReadonlyMap<string, DemoLogin>;
  /** The ids of the schemas that producers write with. */
  readonly schemaIds: ReadonlyMap<SchemaTopic, number>;
}

/** A day of events is enough for a demo, and bounds what it stores. */
const eventRetentionNanos = 86_400_000_000_000n;
const eventTypes = [
  'agent_logs',
  'acl_logs',
  'diagnostics_logs',
  'cluster_metrics',
  'pipeline_logs',
] as const;

/**
 * Creates everything that the demo consists of, through the API. What exists already stays, so that a demo in a
 * directory of the user continues; credentials are replaced, because their passwords are not stored.
 */
export async function setUpDemo(client: Client, clusterId: string): Promise<DemoState> {
  // First of all, so that no diagnostic fails unseen.
  await orFailure(
    client.call('update_events_state', {
      virtual_cluster_id: clusterId,
      enabled: true,
      event_types: Object.fromEntries(
        eventTypes.map((type) => [type, { enabled: true, retention_period_nanos: eventRetentionNanos }]),
      ),
    }),
  );
  const [logins, schemaIds] = await orFailure(
    Promise.all([
      createCredentials(client, clusterId),
      createSchemas(client, clusterId),
      createTopics(client, clusterId),
      createAcls(client, clusterId),
    ]),
  );
  // The rules are there before they are enforced.
  await orFailure(
    client.call('update_virtual_cluster_configuration', {
      virtual_cluster_id: clusterId,
      virtual_cluster_configuration: { are_acls_enabled: true, acl_shadowing_enabled: false },
    }),
  );
  return { logins, schemaIds };
}

async function createTopics(client: Client, virtual_cluster_id: string): Promise<void> {
  await Promise.all(
    demoTopicNames.map(async (topic_name) => {
      const { partitions: partition_count, configs } = demoTopics[topic_name];
      try {
        await client.call('create_topic', { virtual_cluster_id, topic_name, partition_count, configs });
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'topic_already_exists')) throw error;
      }
    }),
  );
}

async function createCredentials(
  client: Client,
  virtual_cluster_id: string,
): Promise<ReadonlyMap<string, DemoLogin>> {
  const { credentials } = await client.call('list_virtual_cluster_credentials', { virtual_cluster_id });
  const names = [...demoClientNames, adminName];
  const made = names.map(async (name) => {
    const earlier = credentials.find((one) => one.name === `ccn_${name}`);
    if (earlier !== undefined) {
      await client.call('delete_virtual_cluster_credentials', { virtual_cluster_id, id: earlier.id });
    }
    const { username, password } = await client.call('create_virtual_cluster_credentials', {
      virtual_cluster_id,
      credentials_name: name,
      is_cluster_superuser: name === adminName,
      imported_password: randomBytes(18).toString('base64url'),
    });
    return [name, { username, password }] as const;
  });
  return new Map(await Promise.all(made));
}

async function createAcls(client: Client, virtual_cluster_id: string): Promise<void> {
  await Promise.all(
    demoAcls().map((acl) =>
      client.call('virtual_clusters/acls/create', { virtual_cluster_id, acl: ruleOf(acl) }),
    ),
  );
}

function ruleOf(acl: Acl) {
  return {
    principal: acl.principal,
    host: acl.host,
    operation: acl.operation,
    resource_type: acl.resourceType,
    resource_name: acl.resourceName,
    pattern_type: acl.patternType,
    permission_type: acl.permission,
  };
}

async function createSchemas(
  client: Client,
  virtual_cluster_id: string,
): Promise<ReadonlyMap<SchemaTopic, number>> {
  const ids = schemaTopics.map(async (topic) => {
    const { type: schema_type, compatibility, versions } = demoSubjects[topic];
    const target = { virtual_cluster_id, subject: subjectOf(topic) };
    let id = 0;
    // A version is checked against those before it.
    for (const schema of versions) {
      id = (await client.call('register_schema', { ...target, schema_type, schema })).schema_id;
    }
    if (compatibility !== undefined) {
      await client.call('update_registry_config', { ...target, compatibility_level: compatibility });
    }
    return [topic, id] as const;
  });
  return new Map(await Promise.all(ids));
}
