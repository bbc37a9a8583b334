import { useSyncExternalStore } from 'react';

/**
 * A Kafka credential that a person gave for a cluster. It is in the memory of the page only, until the person signs out
 * or reloads: browsers write `sessionStorage` to disk, to restore tabs after a crash.
 */
interface KafkaCredential {
  readonly kafka_user_name: string;
  readonly kafka_password: string;
}

const byCluster = new Map<string, KafkaCredential>();
const listeners = new Set<() => void>();
let version = 0;

export function forgetCredentials(): void {
  byCluster.clear();
  changed();
}

function changed(): void {
  version++;
  for (const listener of listeners) listener();
}

export function setCredential(clusterId: string, credential: KafkaCredential | undefined): void {
  if (credential === undefined) byCluster.delete(clusterId);
  else byCluster.set(clusterId, credential);
  changed();
}

/** The fields of a call that say as whom records are read or written. */
export function credentialOf(clusterId: string): KafkaCredential | Record<string, never> {
  return byCluster.get(clusterId) ?? {};
}

/** The user, and a number that changes with the credential: a password must not be in the key of a query. */
export function useCredential(clusterId: string): {
  readonly user: string | undefined;
  readonly version: number;
} {
  const known = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => version,
  );
  return { user: byCluster.get(clusterId)?.kafka_user_name, version: known };
}
